package salud

import (
	"slices"
	"strings"
	"unicode"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// maxTachados is more terms than a description of a place has.
const maxTachados = 20

// without takes the terms out of a text one by one, since what is left may read as another.
func without(texto string, f forma) string {
	for range maxTachados {
		t := split(texto, nil, nil)
		t.forma = f
		found, ok := t.first()
		if !ok {
			return texto
		}
		found = t.widened(found)
		from, to := origin(texto, t.spans[found.from].from), origin(texto, t.spans[found.to-1].end)
		texto = strings.TrimSpace(tidied(texto[:from]) + tidiedEnd(texto[to:]))
		if !manual.HasWord(texto) {
			return ""
		}
	}
	return ""
}

// widened takes what says nothing without a term along: "de" of "Pabellón de VIH", "19"
// of "COVID-19", "positivo" of "VIH positivo".
func (t *palabras) widened(w words) words {
	for w.to < t.len() && (isJoint(t.gap(w.to)) || slices.ContainsFunc(lista[string(t.word(w.to))], isResultado)) {
		w.to++
	}
	for w.from > 0 && (vecinos[string(t.word(w.from-1))]&enlace != 0 || isPreposition(string(t.word(w.from-1)))) {
		w.from--
	}
	return w
}

func isResultado(one termino) bool { return one.seccion == resultado }

func isPreposition(word string) bool {
	switch word {
	case "a", "al", "con", "contra", "e", "en", "o", "para", "p", "por", "y":
		return true
	default:
		return false
	}
}

// origin is the place in a text of what is at a place of its folded form.
func origin(texto string, folded int) int {
	var buf []byte
	for i, r := range texto {
		if len(buf) >= folded {
			return i
		}
		buf = manual.AppendFolded(buf, string(r))
	}
	return len(texto)
}

// tidied ends a text at its last word or closing sign.
func tidied(s string) string {
	return strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:-–/(._", r) })
}

// tidiedEnd is what follows a word that was taken out.
func tidiedEnd(s string) string {
	trimmed := strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:-–/)._+", r) })
	if trimmed == "" || len(trimmed) == len(s) && trimmed != "" {
		return trimmed
	}
	if strings.ContainsAny(s[:len(s)-len(trimmed)], ",;") {
		return ", " + trimmed
	}
	return " " + trimmed
}
