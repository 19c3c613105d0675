package salud

import (
	"unicode"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// palabras are the words of a text as they are compared: folded, and in the singular.
type palabras struct {
	text  []byte
	spans []span
	forma forma
}

// span is where a word stands in the text; its plural ending is between to and end.
type span struct {
	from, to, end int
	// mixed: it is of letters and digits, which is mostly a code.
	mixed bool
}

// What a character is to the words around it, and what a word is made of.
type kind int

const (
	between kind = 0
	letter  kind = 1
	digit   kind = 2
)

// minPlural is the least length of a word of which a plural is made out: shorter ones are
// mostly abbreviations.
const minPlural = 4

func (t *palabras) len() int { return len(t.spans) }

func (t *palabras) word(i int) []byte { return t.text[t.spans[i].from:t.spans[i].to] }

// gap is what stands before a word that is not the first.
func (t *palabras) gap(i int) []byte { return t.text[t.spans[i-1].end:t.spans[i].from] }

// split takes the words of a text into memory of the caller's, which for an ordinary text is
// on its stack.
func split(texto string, text []byte, spans []span) palabras {
	text = manual.AppendFolded(text, texto)
	from, word := 0, between
	for i := 0; i < len(text); {
		next, size := kindAt(text[i:])
		switch {
		case next == between && word != between:
			spans = appendWord(spans, text, from, i, word)
			word = between
		case next != between && word == between:
			from = i
			fallthrough
		default:
			word |= next
		}
		i += size
	}
	return palabras{text: text, spans: appendWord(spans, text, from, len(text), word)}
}

func kindAt(text []byte) (kind, int) {
	c := text[0]
	switch {
	case 'a' <= c && c <= 'z':
		return letter, 1
	case '0' <= c && c <= '9':
		return digit, 1
	case c < utf8.RuneSelf:
		return between, 1
	}
	r, size := utf8.DecodeRune(text)
	if unicode.IsLetter(r) {
		return letter, size
	}
	return between, size
}

func appendWord(spans []span, text []byte, from, end int, k kind) []span {
	switch k {
	case between:
		return spans
	case letter:
		return append(spans, span{from: from, to: from + len(singular(text[from:end])), end: end})
	default:
		return append(spans, span{from: from, to: end, end: end, mixed: k == letter|digit})
	}
}

// singular cuts the ending of a plural. It need not give a word of the language, as the
// terms of the list go through it too.
func singular(word []byte) []byte {
	n := len(word)
	if n < minPlural || word[n-1] != 's' || word[n-2] == 's' {
		return word
	}
	if word[n-2] == 'e' && endsSyllable(word[n-3]) {
		return word[:n-2]
	}
	return word[:n-1]
}

// endsSyllable tells the consonants after which a plural takes -es.
func endsSyllable(c byte) bool {
	switch c {
	case 'd', 'l', 'n', 'r', 'z':
		return true
	default:
		return false
	}
}
