package manual

import (
	"strings"
	"testing"
	"unicode/utf8"
)

var semillasDeTexto = []string{
	"", " ", "Toma de muestra", "Av. Juárez N° 5 & 7", "Ç À Ö Ñ ü", "  dos  espacios ", "5½", "a;b\"c\"", "correo@x",
	"Jose\u0301", "g\u0303", "日本", "A\u0000B\tC\nD", "\xff\xfe", "ﬁn ™ ① Ⅳ", "\u0301", "Æsir ß Øre Łódź", "👩‍👩‍👧", "ǽ ǘ ẛ̣",
	strings.Repeat("½", 40), strings.Repeat("ab ", 40), "\u037e \u2126", "한글", "ﷺ", "M.ª José", "MARÍA-JOSÉ D'ÁNGELO",
}

func TestTransliterateTexto(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"":                          "",
		"Toma de muestra":           "Toma de muestra",
		"Av. Juárez N° 5 & 7":       "Av. Juárez No 5 y 7",
		"A&B":                       "A y B",
		"1º y 2ª sección":           "1o y 2a sección",
		"Calle 5½":                  "Calle 5 1/2",
		"½":                         "1/2",
		`Edificio "B"; piso 2`:      "Edificio 'B', piso 2",
		"Col. “Centro” – D’Angelo":  "Col. 'Centro' - D'Angelo",
		"Ç À Ö Ñ ü ǘ":               "C A O Ñ ü u",
		"Straße Øre Łódź Æ":         "Strasse Ore Lódz AE",
		"a@b.mx":                    "a(a)b.mx",
		"50% [ala] {b} <c>":         "50 por ciento (ala) (b) (c)",
		"a_b=c\\d|e":                "a-b:c/d/e",
		"m² ³ ① № 3 …":              "m2 3 1 No 3 ...",
		"Sala A+B":                  "Sala A más B",
		"uno\ttab\nlínea\u00a0fija": "uno tab línea fija",
		"  dos  espacios  ":         "dos espacios",
		"calle*5 €9":                "calle 5 9",
		"日本":                        "",
		"-- ' --":                   "",
		"日本 - 5":                    "- 5",
		"Calle 日本 5":                "Calle 5",
		"Jose\u0301 g\u0303":        "José g",
		"cero\u200bancho":           "ceroancho",
		"fin\x00de":                 "finde",
		"roto\xffaquí":              "roto aquí",
		"👩‍👩‍👧 familia":             "familia",
	} {
		if got := TransliterateTexto(s, 100); got != want {
			t.Errorf("TransliterateTexto(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestTransliterateNombre(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"":                    "",
		"MARÍA-JOSÉ D'ÁNGELO": "MARÍA-JOSÉ D'ÁNGELO",
		"MA. GUADALUPE":       "MA GUADALUPE",
		"M.ª José":            "M a José",
		"JUAN 2":              "JUAN",
		"MAR1A":               "MARA",
		"D’ANGELO":            "D'ANGELO",
		"GONÇALVES, JOÃO":     "GONCALVES JOAO",
		"PEREZ/LOPEZ":         "PEREZ LOPEZ",
		"PEREZ & LOPEZ":       "PEREZ y LOPEZ",
		"½":                   "",
		"123":                 "",
		"***":                 "",
	} {
		if got := TransliterateNombre(s, MaxNombre); got != want {
			t.Errorf("TransliterateNombre(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestTransliterate_cuts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		s      string
		maximo int
		want   string
	}{
		{"abcdef", 3, "abc"},
		{"ab cd", 3, "ab"},
		{"ab cd", 4, "ab c"},
		{"ñññ", 2, "ññ"},
		{"ab & cd", 5, "ab y"},
		{"a & b", 0, ""},
		{"abc", -1, ""},
		{"abcd ef", 2, "ab"}, // the later short word does not fill the gap
	}
	for _, tt := range tests {
		if got := TransliterateTexto(tt.s, tt.maximo); got != tt.want {
			t.Errorf("TransliterateTexto(%q, %d) = %q, want %q", tt.s, tt.maximo, got, tt.want)
		}
	}
	if got := TransliterateNombre(strings.Repeat("ç", 200), 200); got != strings.Repeat("c", MaxNombre) {
		t.Errorf("a name was cut to %d characters", len(got))
	}
}

func FuzzTransliterate(f *testing.F) {
	for i, s := range semillasDeTexto {
		f.Add(s, i*3)
	}
	f.Fuzz(func(t *testing.T, s string, maximo int) {
		texto := TransliterateTexto(s, maximo)
		if !expresionTexto.MatchString(texto) || utf8.RuneCountInString(texto) > max(maximo, 0) {
			t.Errorf("TransliterateTexto(%q, %d) = %q, refused by the manual", s, maximo, texto)
		}
		if texto != "" && !IsTexto(texto, maximo) {
			t.Errorf("TransliterateTexto(%q, %d) = %q, refused by IsTexto", s, maximo, texto)
		}
		if again := TransliterateTexto(texto, maximo); again != texto {
			t.Errorf("TransliterateTexto gave %q, and again %q", texto, again)
		}
		nombre := TransliterateNombre(s, maximo)
		if nombre != "" && (!expresionNombre.MatchString(nombre) || !IsNombre(nombre)) {
			t.Errorf("TransliterateNombre(%q, %d) = %q, refused by the manual", s, maximo, nombre)
		}
		if again := TransliterateNombre(nombre, maximo); again != nombre {
			t.Errorf("TransliterateNombre gave %q, and again %q", nombre, again)
		}
		if strings.TrimSpace(texto) != texto || strings.TrimSpace(nombre) != nombre {
			t.Errorf("%q or %q is not trimmed", texto, nombre)
		}
	})
}

func BenchmarkTransliterateTexto(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		TransliterateTexto("Av. Juárez N° 5 & 7, Col. “Centro”", MaxDireccion)
	}
}
