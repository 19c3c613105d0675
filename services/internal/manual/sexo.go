package manual

// Sexo is the platform's sexo_asignado. The zero Sexo means "not given".
type Sexo string

// The three values of pui.md 2.3. M is a woman: catalogues that write M for
// "masculino" must be mapped before they reach here.
const (
	SexoHombre Sexo = "H"
	SexoMujer  Sexo = "M"
	SexoOtro   Sexo = "X"
)

// ParseSexo reads H, M or X in either case.
func ParseSexo(s string) (Sexo, bool) {
	switch s {
	case "H", "h":
		return SexoHombre, true
	case "M", "m":
		return SexoMujer, true
	case "X", "x":
		return SexoOtro, true
	default:
		return "", false
	}
}
