package salud

import "bytes"

// How many words before a term its neighbours are looked for: a name may be long.
const (
	nearResultado = 4
	nearServicio  = 6
)

var negative = []byte("(-)")

// isExcused tells whether the words around a term, which begins at i, say that it names
// nothing of anybody's health. The sections of terminos.txt tell which words do.
func (t *palabras) isExcused(i int, one *termino) bool {
	switch one.seccion {
	case siempre:
		return false
	case resultado:
		nearest := t.nearest(i, nearResultado, administrativo|deEstudio|dePersona)
		return nearest == administrativo || nearest == 0 && t.isRefusal(i)
	case adjetivo:
		return t.before(t.skipBack(i))&deEstudio == 0
	case clave:
		return t.before(i)&(antesDeClave|antesDeNombre) != 0
	case nombre:
		return t.before(i)&antesDeClave != 0 || t.before(t.skipBack(i))&antesDeNombre != 0 ||
			t.isLugar && t.before(i)&establecimiento != 0
	case servicio:
		return t.isLugar && t.nearest(i, nearServicio, establecimiento|dePersona) == establecimiento
	default: // signo
		return !t.hasSign(i + len(one.rest))
	}
}

// before tells what the word before i says of it, if nothing parts them.
func (t *palabras) before(i int) clase {
	if i == 0 || len(bytes.Trim(t.gap(i), " .-_#:")) > 0 {
		return 0
	}
	return vecinos[string(t.word(i-1))]
}

// skipBack goes back over the small words before i: "avenida del" is "avenida".
func (t *palabras) skipBack(i int) int {
	for i > 0 && t.before(i)&enlace != 0 {
		i--
	}
	return i
}

// nearest gives which of some classes the nearest word before i has, in the same clause and
// among so many words.
func (t *palabras) nearest(i, within int, of clase) clase {
	for n := i; n > max(i-within, 0) && !bytes.ContainsAny(t.gap(n), ",;."); n-- {
		class := vecinos[string(t.word(n-1))] & of
		if class != 0 {
			return class
		}
	}
	return 0
}

// isRefusal tells whether a negativa is somebody's no: "negativa a firmar".
func (t *palabras) isRefusal(i int) bool {
	if string(t.word(i)) != "negativa" || i+1 == t.len() || string(t.gap(i+1)) != " " {
		return false
	}
	switch string(t.word(i + 1)) {
	case "a", "al", "de", "del", "para", "por":
	default:
		return false
	}
	for n := i + 2; n < min(i+2+nearResultado, t.len()); n++ {
		if vecinos[string(t.word(n))]&deEstudio != 0 {
			return false
		}
	}
	return true
}

// hasSign tells whether a result stands behind the word i as a sign: "prueba (+)". A plus
// between two words joins them.
func (t *palabras) hasSign(i int) bool {
	if i+1 == t.len() {
		rest := t.text[t.spans[i].end:]
		return bytes.ContainsAny(rest, "+") || bytes.Contains(rest, negative)
	}
	gap := t.gap(i + 1)
	return bytes.ContainsAny(gap, "+") && string(bytes.TrimSpace(gap)) != "+" || bytes.Contains(gap, negative)
}
