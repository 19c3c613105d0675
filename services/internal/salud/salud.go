package salud

import (
	_ "embed"
	"strings"
)

//go:embed terminos.txt
var terminos string

// The sections of the list.
const (
	siempre    = "[siempre]"
	soloEnActo = "[solo en el acto]"
	pasa       = "[pasa]"
)

// A termino is what follows the first word of a term, and what the term says.
type termino struct {
	rest    []string
	seccion string
}

// lista finds the terms by their first word; of one word the longest comes first.
var lista = read(terminos)

// InActo tells whether an act, in the words of an institution, names something of a
// person's health.
func InActo(texto string) bool { return find(texto, true) }

// InLugar tells the same of the description of a place. It looks for less: much that would
// name a study is the name of a laboratory there.
func InLugar(texto string) bool { return find(texto, false) }

func find(texto string, isActo bool) bool {
	var text [128]byte
	var spans [32]span
	t := split(texto, text[:0], spans[:0])
	for i := 0; i < t.len(); {
		found, passed := t.at(i, isActo)
		if found {
			return true
		}
		i += max(passed, 1)
	}
	return t.spelled(isActo)
}

// at looks for a term that begins with the word i, and tells how many words pass if that is
// what they do.
func (t palabras) at(i int, isActo bool) (found bool, passed int) {
	for _, one := range lista[string(t.word(i))] {
		if !t.follows(i+1, one) {
			continue
		}
		if one.seccion == pasa {
			return false, 1 + len(one.rest)
		}
		found = found || one.seccion == siempre || isActo
	}
	return found, 0
}

// follows tells whether the words from i on complete a term. Punctuation between them is
// no matter, but for what passes: "negativa, a domicilio" is not "negativa a".
func (t palabras) follows(i int, one termino) bool {
	if i+len(one.rest) > t.len() {
		return false
	}
	for n, want := range one.rest {
		if string(t.word(i+n)) != want || one.seccion == pasa && t.gap(i+n) != " " {
			return false
		}
	}
	return true
}

// spelled looks for abbreviations that were written letter by letter: "V.I.H.", "v i h".
func (t palabras) spelled(isActo bool) bool {
	for i := 0; i < t.len(); {
		end := t.spelledUntil(i)
		if end-i < 2 {
			i++
			continue
		}
		var joined []byte
		for n := i; n < end; n++ {
			joined = append(joined, t.word(n)...)
		}
		if find(string(joined), isActo) {
			return true
		}
		i = end - 1 // the last letter may begin another one, with other signs between
	}
	return false
}

// spelledUntil gives the end of the single letters from i on with the same between them.
func (t palabras) spelledUntil(i int) int {
	if !t.isLetter(i) {
		return i
	}
	end := i + 1
	for end < t.len() && t.isLetter(end) && t.gap(end) == t.gap(i+1) {
		end++
	}
	return end
}

func (t palabras) isLetter(i int) bool {
	word := t.word(i)
	return len(word) == 1 && word[0] >= 'a'
}

func read(terminos string) map[string][]termino {
	lista := map[string][]termino{}
	seccion := ""
	for line := range strings.Lines(terminos) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "["):
			seccion = line
			continue
		}
		t := split(line, nil, nil)
		words := make([]string, t.len())
		for i := range words {
			words[i] = string(t.word(i))
		}
		one := termino{rest: words[1:], seccion: seccion}
		if seccion == pasa { // what passes is looked for first
			lista[words[0]] = append([]termino{one}, lista[words[0]]...)
			continue
		}
		lista[words[0]] = append(lista[words[0]], one)
	}
	return lista
}
