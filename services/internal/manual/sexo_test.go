package manual

import "testing"

func TestParseSexo(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]Sexo{
		"H": SexoHombre, "h": SexoHombre, "M": SexoMujer, "m": SexoMujer, "X": SexoOtro, "x": SexoOtro,
		"Hombre": SexoHombre, "MASCULINO": SexoHombre, "mujer": SexoMujer, "Femenino": SexoMujer, "F": SexoMujer, "f": SexoMujer,
	} {
		got, ok := ParseSexo(s)
		if !ok || got != want {
			t.Errorf("ParseSexo(%q) = %q, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "HM", " H", "MASC", "Χ", "NO BINARIO"} {
		got, ok := ParseSexo(s)
		if ok || got != "" {
			t.Errorf("ParseSexo(%q) = %q, accepted", s, got)
		}
	}
}
