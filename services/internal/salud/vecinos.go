package salud

import "bytes"

// How many words before a term its neighbours are looked for: a name may be long.
const (
	nearResultado = 4
	nearServicio  = 6
)

// minFolio is how many digits make three letters and more part of a number: "VPH-16" is a virus,
// "VIH-0533" an order. Of two letters fewer do.
const minFolio = 4

var negative = []byte("(-)")

// isExcused tells whether the words around a term, which begins at i, say that it names
// nothing of anybody's health. The sections of terminos.txt tell which words do.
func (t *palabras) isExcused(i int, one *termino) bool {
	if t.forma == direccion && one.seccion != siempre && one.seccion != servicio {
		return true
	}
	switch one.seccion {
	case siempre:
		return len(one.rest) == 0 && t.isPartOfCode(i, minDisfraz-1, 2)
	case resultado:
		nearest := t.nearest(i, nearResultado, administrativo|deEstudio|dePersona)
		return nearest == administrativo || nearest == 0 && t.isRefusal(i)
	case adjetivo:
		return t.before(t.skipBack(i))&deEstudio == 0
	case clave:
		return t.before(i)&(antesDeClave|antesDeNombre) != 0 || t.isPartOfCode(i, maxSiglas, 1)
	case codigo:
		return !t.isMeant(i, one)
	case nombre:
		return t.before(i)&antesDeClave != 0 || t.before(t.skipBack(i))&antesDeNombre != 0 ||
			t.forma == lugar && t.before(i)&establecimiento != 0
	case servicio:
		return t.forma != acto && t.nearest(i, nearServicio, establecimiento|dePersona) == establecimiento
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

// isPartOfCode reports whether the word i, of at most so many letters, is joined to a number of
// at least so many digits: "TB-0012", "2026/VHC/7". Of "VIH-1" it is not.
func (t *palabras) isPartOfCode(i, letters, digits int) bool {
	if t.spans[i].end-t.spans[i].from > letters {
		return false
	}
	if len(t.word(i)) > 2 {
		digits = max(digits, minFolio)
	}
	from, to := i, i+1
	for from > 0 && isJoint(t.gap(from)) {
		from--
	}
	for to < t.len() && isJoint(t.gap(to)) {
		to++
	}
	for n := from; n < to; n++ {
		word := t.word(n)
		if n != i && len(word) >= digits && (t.spans[n].mixed || isNumber(string(word))) {
			return true
		}
	}
	return false
}

func isJoint(gap []byte) bool { return len(gap) == 1 && bytes.IndexByte([]byte("-_/"), gap[0]) >= 0 }

// isMeant reports whether a term that reads like the code of a turn or a room is meant as one
// of the list: it is all that is said, or a study or a measurement is spoken of.
func (t *palabras) isMeant(i int, one *termino) bool {
	if t.before(i)&(antesDeClave|antesDeNombre) != 0 {
		return false
	}
	end := i + 1 + len(one.rest)
	if end < t.len() && vecinos[string(t.word(end))]&trasMedida != 0 {
		return true
	}
	if from := t.skipBack(i); from > 0 {
		class := vecinos[string(t.word(from-1))]
		isAnnounced := class&deEstudio != 0 && bytes.ContainsRune(t.gap(from), ':')
		return isAnnounced || class&deMedida != 0 && string(t.gap(from)) == " "
	}
	return t.isAllCodes()
}

// isAllCodes reports whether a text has nothing but terms of the section: "T3 y T4".
func (t *palabras) isAllCodes() bool {
	for i := 0; i < t.len(); {
		n := 0
		for k := range lista[string(t.word(i))] {
			one := &lista[string(t.word(i))][k]
			if one.seccion == codigo && t.follows(i+1, one) {
				n = max(n, 1+len(one.rest))
			}
		}
		if n == 0 && !isConjunction(t.word(i)[0]) || n == 0 && len(t.word(i)) > 1 {
			return false
		}
		i += max(n, 1)
	}
	return true
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
