package manual

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// AppendFolded appends s as it is compared where neither case nor accents count: small
// letters, without what Unicode adds to them, and without invisible characters.
func AppendFolded(b []byte, s string) []byte {
	for _, r := range s {
		if r < utf8.RuneSelf {
			c := byte(r)
			if isUpper(c) {
				c += 'a' - 'A'
			}
			b = append(b, c)
			continue
		}
		b = appendFoldedRune(b, r)
	}
	return b
}

func appendFoldedRune(b []byte, r rune) []byte {
	switch r {
	case 'á', 'Á':
		return append(b, 'a')
	case 'é', 'É':
		return append(b, 'e')
	case 'í', 'Í':
		return append(b, 'i')
	case 'ó', 'Ó':
		return append(b, 'o')
	case 'ú', 'Ú', 'ü', 'Ü':
		return append(b, 'u')
	case 'ñ', 'Ñ':
		return append(b, 'n')
	}
	for _, d := range norm.NFKD.String(string(r)) {
		if !unicode.In(d, unicode.M, unicode.Cf) {
			b = utf8.AppendRune(b, unicode.ToLower(d))
		}
	}
	return b
}
