package manual

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const lenUUID = 36

// The least and the most characters of the id of a search.
const (
	MinSearchID = lenUUID
	MaxSearchID = 75
)

// IsSearchID tells whether s can be the id of a search (pui.md 2.1): 36 to 75 characters
// whose last 36 are shaped like a UUID, of any version and variant, and before them nothing
// or a FUB and a hyphen. The FUB is any printable ASCII but space, <, >, ", and %, hyphens
// included, so the id is read from its end. It is never trimmed nor re-cased: it is echoed
// as it came.
func IsSearchID(s string) bool {
	if len(s) < MinSearchID || len(s) > MaxSearchID {
		return false
	}
	fub, uuid := s[:len(s)-lenUUID], s[len(s)-lenUUID:]
	return isUUID(uuid) && all(fub, isFUBByte) && (fub == "" || strings.HasSuffix(fub, "-"))
}

func isFUBByte(c byte) bool { return c > ' ' && c <= '~' && strings.IndexByte(`<>"%`, c) < 0 }

func isUUID(s string) bool {
	for i := range lenUUID {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHex(s[i]) {
				return false
			}
		}
	}
	return true
}

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// IsInstitucionID tells whether s is ^[A-Z0-9]{4,13}$, what the platform takes
// as institucion_id. A legal RFC with & or Ñ is not one (pui.md 2.5).
func IsInstitucionID(s string) bool {
	return len(s) >= 4 && len(s) <= 13 && all(s, isUpperOrDigit)
}

// claveSignos are the signs of which a clave needs at least one.
const claveSignos = "!@#$%^&*()-_.+"

const (
	minClave = 16
	maxClave = 20
)

// FormaClave says what a clave looks like ([IsClave]).
var FormaClave = fmt.Sprintf("La clave debe tener de %d a %d caracteres, con al menos una mayúscula, un dígito y uno de %s",
	minClave, maxClave, strings.Join(strings.Split(claveSignos, ""), " "))

// IsClave tells whether s may be the clave that the platform uses towards an
// institution (pui.md 1.5): 16 to 20 letters, digits and signs, with a
// capital, a digit and a sign among them. The rule is for setting a clave; at
// a login it is only compared.
func IsClave(s string) bool {
	if len(s) < minClave || len(s) > maxClave {
		return false
	}
	var capital, digito, signo bool
	for i := range len(s) {
		c := s[i]
		switch {
		case isUpper(c):
			capital = true
		case isDigit(c):
			digito = true
		case strings.IndexByte(claveSignos, c) >= 0:
			signo = true
		case !isLower(c):
			return false
		}
	}
	return capital && digito && signo
}

// IsRFC tells whether s is an RFC with homoclave: three letters for a company
// or four for a person, Ñ and & among them, then a date as YYMMDD and three
// characters of homoclave. The homoclave's own check character is not
// verified, since the tax authority has issued RFCs that break its rule.
func IsRFC(s string) bool {
	n := utf8.RuneCountInString(s)
	if n != 12 && n != 13 {
		return false
	}
	corte := len(s) - len("YYMMDDHHH")
	return corte > 0 && isRFCInitials(s[:corte], n-9) && isRFCTail(s[corte:])
}

func isRFCInitials(s string, want int) bool {
	n := 0
	for _, r := range s {
		if !('A' <= r && r <= 'Z' || r == 'Ñ' || r == '&') {
			return false
		}
		n++
	}
	return n == want
}

// isRFCTail takes 29 February of any year: the century is not written.
func isRFCTail(s string) bool {
	const bisiesto = 2000
	_, real := newFecha(bisiesto, decimal(s[2:4]), decimal(s[4:6]))
	return real && all(s[:2], isDigit) && all(s[6:], isUpperOrDigit)
}
