package manual

import "strings"

// LenCURP is the length of every CURP.
const LenCURP = 18

// CURP is what the eighteen characters of a CURP tell about its holder
// (pui.md 2.2). A doubtful CURP is still a key to search by, so none of its
// fields is a reason to refuse it: the manual's own samples are not official.
type CURP struct {
	// Oficial tells whether the structure is RENAPO's, its date included.
	Oficial bool
	// Digito tells whether the check digit is the right one.
	Digito bool
	// FechaNacimiento is zero when it cannot be read.
	FechaNacimiento Fecha
	// Sexo is "" when it cannot be read.
	Sexo Sexo
	// Lugar is LugarDesconocido when it cannot be read.
	Lugar Lugar
}

// NormalizeCURP trims a CURP and writes its ASCII letters as capitals. Other
// letters stay, so that none turns into an ASCII one by its upper case.
func NormalizeCURP(s string) string {
	s = NormalizeTexto(s)
	for i := range len(s) {
		if isLower(s[i]) {
			return strings.Map(upperASCII, s)
		}
	}
	return s
}

func upperASCII(r rune) rune {
	if 'a' <= r && r <= 'z' {
		return r - 'a' + 'A'
	}
	return r
}

// IsCURP tells whether s is eighteen capitals and digits, the one rule for
// which the manual refuses a CURP.
func IsCURP(s string) bool {
	return len(s) == LenCURP && all(s, isUpperOrDigit)
}

// ReadCURP reads a CURP. Birth date, sex and place are read whenever the
// positions that carry them have their shape, even if the letters taken from
// the name or the check digit are not the official ones; in a random string
// nothing is read.
func ReadCURP(s string) CURP {
	c := CURP{Lugar: LugarDesconocido}
	if !IsCURP(s) {
		return c
	}
	c.Digito = s[17] == checkDigit(s)
	if !hasDataShape(s) {
		return c
	}
	c.Sexo = Sexo(s[10:11])
	lugar, conocido := LugarOfCodigo(s[11:13])
	if conocido {
		c.Lugar = lugar
	}
	fecha, real := birthDate(s)
	c.FechaNacimiento = fecha
	c.Oficial = real && conocido && hasNameLetters(s) && isDigit(s[17])
	return c
}

// SexoOf is the sex to keep and to tell of whoever has the CURP (pui.md 2.3): a CURP of
// the official structure decides, whatever else is said. Else what was given counts, and
// without it what the CURP seems to tell.
func (c CURP) SexoOf(given Sexo) Sexo {
	if c.Oficial || given == "" {
		return c.Sexo
	}
	return given
}

// LugarOf is the same for the birthplace. It is never empty, for the platform requires it.
func (c CURP) LugarOf(given Lugar) Lugar {
	if c.Oficial || given == "" || given == LugarDesconocido {
		return c.Lugar
	}
	return given
}

// hasDataShape tells whether positions 1 to 13 look like initials, a date, a
// sex and a state code.
func hasDataShape(s string) bool {
	return all(s[:4], isUpper) && all(s[4:10], isDigit) && isSexo(s[10]) && all(s[11:13], isUpper)
}

func isSexo(c byte) bool { return c == 'H' || c == 'M' || c == 'X' }

// hasNameLetters tells whether the letters taken from the name are of the
// right kind: a vowel (or X) second, consonants in 14 to 16.
func hasNameLetters(s string) bool {
	return isVowelOrX(s[1]) && all(s[13:16], isConsonant)
}

func isVowel(c byte) bool {
	return c == 'A' || c == 'E' || c == 'I' || c == 'O' || c == 'U'
}

func isVowelOrX(c byte) bool { return isVowel(c) || c == 'X' }

func isConsonant(c byte) bool { return isUpper(c) && !isVowel(c) }

// birthDate reads positions 5 to 10. Position 17 tells the century: a digit
// until 1999, a letter from 2000 on.
func birthDate(s string) (Fecha, bool) {
	siglo := 2000
	if isDigit(s[16]) {
		siglo = 1900
	}
	return newFecha(siglo+decimal(s[4:6]), decimal(s[6:8]), decimal(s[8:10]))
}

// checkDigit computes position 18 from the seventeen before it.
func checkDigit(s string) byte {
	suma := 0
	for i := range LenCURP - 1 {
		suma += checkValue(s[i]) * (LenCURP - i)
	}
	return '0' + byte((10-suma%10)%10)
}

// checkValue is a character's place in 0-9A-NÑO-Z. No CURP has an Ñ, but it
// takes the place 24 and so moves the letters after it.
func checkValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c <= 'N':
		return int(c-'A') + 10
	default:
		return int(c-'A') + 11
	}
}
