package manual

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// clase is a set of the characters that one of the manual's expressions takes.
type clase uint8

const (
	claseTexto  clase = 1 << iota // T(n) of pui.md 1.2
	claseNombre                   // N of pui.md 1.2
)

const letras = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyzÁÉÍÓÚÜÑáéíóúüñ"

// clases gives the classes of each character. All that the expressions take
// is below U+0100, which keeps a check to one look into a small table.
var clases = indexClases()

func indexClases() [256]clase {
	var tabla [256]clase
	for _, r := range letras + "0123456789 .,#'/:()-" {
		tabla[r] |= claseTexto
	}
	for _, r := range letras + " '-" {
		tabla[r] |= claseNombre
	}
	return tabla
}

func (c clase) has(r rune) bool { return r < 256 && clases[r]&c != 0 }

// accepts tells whether s is at most maximo characters of the class. Beyond
// ASCII the expressions take only characters of U+00C0 to U+00FF, which UTF-8
// writes as 0xC3 and one more byte, so s need not be decoded.
func (c clase) accepts(s string, maximo int) bool {
	n := len(s)
	for i := 0; i < len(s); i++ {
		b := s[i]
		if b >= utf8.RuneSelf {
			if b != 0xC3 || i+1 == len(s) || utf8.RuneStart(s[i+1]) {
				return false
			}
			i++
			n--
			b = s[i] + 0x40
		}
		if clases[b]&c == 0 {
			return false
		}
	}
	return n <= maximo
}

// IsTexto tells whether the platform takes s as a text of at most maximo
// characters: ^[A-Za-zÁÉÍÓÚÜÑáéíóúüñ0-9 .,#'/:()\-]{0,maximo}$.
func IsTexto(s string, maximo int) bool { return claseTexto.accepts(s, maximo) }

// IsNombre tells whether the platform takes s as a name or surname:
// ^[A-Za-zÁÉÍÓÚÜÑáéíóúüñ '-]{1,50}$.
func IsNombre(s string) bool { return s != "" && claseNombre.accepts(s, MaxNombre) }

// NormalizeTexto composes a text (Unicode NFC) and trims the white space at
// its ends.
func NormalizeTexto(s string) string {
	if !isComposed(s) {
		s = norm.NFC.String(s)
	}
	if isTrimmed(s) {
		return s
	}
	return strings.TrimSpace(s)
}

// isTrimmed tells whether s surely has no white space at its ends: both are
// visible ASCII.
func isTrimmed(s string) bool {
	return s == "" || isVisible(s[0]) && isVisible(s[len(s)-1])
}

// HasWord tells whether s says anything: it has a letter or a number.
func HasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

func isVisible(c byte) bool { return ' ' < c && c < 0x7f }

// isComposed tells whether s is surely in NFC already. No character below
// U+0300 takes part in a composition, and 0xCC is the first byte of U+0300,
// so Spanish text passes here without a look at the Unicode tables.
func isComposed(s string) bool {
	for i := range len(s) {
		if s[i] >= 0xCC {
			return false
		}
	}
	return true
}

// HasControl tells whether s has a control character (NUL, tab, line break,
// …) or bytes that are not UTF-8. PostgreSQL stores neither NUL nor the
// latter.
func HasControl(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c == 0x7f {
			return true
		}
		if c >= utf8.RuneSelf {
			return hasControlRune(s[i:])
		}
	}
	return false
}

func hasControlRune(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl)
}
