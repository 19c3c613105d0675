package manual

import (
	"regexp"
	"strings"
	"unicode"
)

// MinTelefono is the least number of digits of an institution's telephone, that of the
// shortest Mexican numbers; the most is that of E.164 (contract.md 4.1).
const MinTelefono = 8

// extension ends a telephone: "ext. 12", "Extensión: 12".
var extension = regexp.MustCompile(`(?i)[\s,;]*ext(ensi[oó]n)?[\s.:]*[0-9]{1,8}$`)

// NormalizeTelefono leaves only the digits of a telephone, and tells whether
// there are 8 to 15 of them and nothing else but spaces, ., +, -, ( and ). An
// extension at its end is left out: the platform has no place for it.
func NormalizeTelefono(s string) (string, bool) {
	if strings.ContainsAny(s, "xX") {
		s = extension.ReplaceAllString(s, "")
	}
	var buf [MaxTelefono]byte
	n := 0
	for _, r := range s {
		if isTelefonoSeparator(r) {
			continue
		}
		if r < '0' || r > '9' || n == len(buf) {
			return "", false
		}
		buf[n] = byte(r)
		n++
	}
	if n < MinTelefono {
		return "", false
	}
	if n == len(s) {
		return s, true
	}
	return string(buf[:n]), true
}

func isTelefonoSeparator(r rune) bool {
	switch r {
	case ' ', '.', '+', '-', '(', ')':
		return true
	default:
		return r >= 0x80 && unicode.Is(unicode.Zs, r)
	}
}

// IsTelefono tells whether the platform takes s as a telephone:
// ^\+?\d{0,15}$ with at most 15 characters, the + included.
func IsTelefono(s string) bool {
	return len(s) <= MaxTelefono && all(strings.TrimPrefix(s, "+"), isDigit)
}

// IsCorreo tells whether the platform takes s as an e-mail address:
// at most 50 characters of
// ^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,50}$.
func IsCorreo(s string) bool {
	local, dominio, ok := strings.Cut(s, "@")
	if !ok || len(s) > MaxCorreo || local == "" || !all(local, isLocalNotificable) {
		return false
	}
	punto := strings.LastIndexByte(dominio, '.')
	if punto < 1 {
		return false
	}
	servidor, sufijo := dominio[:punto], dominio[punto+1:]
	return all(servidor, isDominioNotificable) && len(sufijo) >= 2 && all(sufijo, isLetter)
}

func isLocalNotificable(c byte) bool {
	switch c {
	case '.', '_', '%', '+', '-':
		return true
	default:
		return isAlphanumeric(c)
	}
}

func isDominioNotificable(c byte) bool { return isAlphanumeric(c) || c == '.' || c == '-' }

func isLetter(c byte) bool { return isUpper(c) || isLower(c) }

// IsCodigoPostal tells whether s is five digits.
func IsCodigoPostal(s string) bool {
	return len(s) == 5 && all(s, isDigit)
}
