package registros

import "strings"

// differs tells whether a given value says something that the known one does not. Case
// carries no information here: institutions and platform write names either way.
func differs(given, known string) bool {
	return given != "" && !strings.EqualFold(strings.TrimSpace(given), strings.TrimSpace(known))
}

// digitsOf leaves the digits of a telephone as the platform wrote it, so that punctuation
// makes no difference.
func digitsOf(telefono string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, telefono)
}
