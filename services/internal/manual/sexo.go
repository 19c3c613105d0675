package manual

import "strings"

// Sexo is the platform's sexo_asignado. The zero Sexo means "not given".
type Sexo string

// The three values of pui.md 2.3. M is a woman: catalogues that write M for
// "masculino" must be mapped before they reach here.
const (
	SexoHombre Sexo = "H"
	SexoMujer  Sexo = "M"
	SexoOtro   Sexo = "X"
)

// ParseSexo reads H, M or X, and the words that leave no doubt: HOMBRE, MASCULINO, MUJER,
// FEMENINO and its F, whatever their case. M alone is a woman, as the platform says.
func ParseSexo(s string) (Sexo, bool) {
	switch strings.ToUpper(s) {
	case "H", "HOMBRE", "MASCULINO":
		return SexoHombre, true
	case "M", "MUJER", "F", "FEMENINO":
		return SexoMujer, true
	case "X":
		return SexoOtro, true
	default:
		return "", false
	}
}
