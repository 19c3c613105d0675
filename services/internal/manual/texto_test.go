package manual

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The expressions T and N of pui.md 1.2, without their length.
var (
	expresionTexto  = regexp.MustCompile(`^[A-Za-zÁÉÍÓÚÜÑáéíóúüñ0-9 .,#'/:()\-]*$`)
	expresionNombre = regexp.MustCompile(`^[A-Za-zÁÉÍÓÚÜÑáéíóúüñ '-]+$`)
)

func TestNormalizeTexto(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"":                        "",
		" \t\n\u00a0\u2003 ":      "",
		"  Toma de muestra ":      "Toma de muestra",
		"Jose\u0301":              "José",
		"N\u0303andu\u0301":       "Ñandú",
		"José":                    "José",
		"a\u00a0b":                "a\u00a0b",
		"\u212b":                  "Å", // the ångström sign
		"\u00a0 e\u0301 \u00a0":   "é",
		"dos  espacios  adentro.": "dos  espacios  adentro.",
	} {
		if got := NormalizeTexto(s); got != want {
			t.Errorf("NormalizeTexto(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestHasControl(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"\x00", "a\x00b", "a\tb", "a\nb", "\r", "\x1b[0m", "a\x7f", "a\u0085b", "\xff", "a\xc3"} {
		if !HasControl(s) {
			t.Errorf("HasControl(%q) = false", s)
		}
	}
	for _, s := range []string{"", "José Ñandú", "\u00a0", "日本", "\ufffd", "👩‍👩‍👧"} {
		if HasControl(s) {
			t.Errorf("HasControl(%q) = true", s)
		}
	}
}

// Every character of the first planes is taken or refused as the manual's
// expressions say.
func TestExpressions_everyCharacter(t *testing.T) {
	t.Parallel()
	for r := rune(0); r < 0x3000; r++ {
		s := string(r)
		if got, want := IsTexto(s, 1), expresionTexto.MatchString(s); got != want {
			t.Errorf("IsTexto(%q) = %v, the manual says %v", s, got, want)
		}
		if got, want := IsNombre(s), expresionNombre.MatchString(s); got != want {
			t.Errorf("IsNombre(%q) = %v, the manual says %v", s, got, want)
		}
	}
}

func TestExpressions_length(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{0: true, 49: true, 50: true, 51: false} {
		if got := IsTexto(strings.Repeat("ñ", n), 50); got != want {
			t.Errorf("IsTexto of %d characters = %v", n, got)
		}
	}
	for n, want := range map[int]bool{0: false, 1: true, 50: true, 51: false} {
		if got := IsNombre(strings.Repeat("ñ", n)); got != want {
			t.Errorf("IsNombre of %d characters = %v", n, got)
		}
	}
	if IsTexto("\xff", 50) || IsNombre("\xff") {
		t.Error("broken UTF-8 was taken")
	}
}

func FuzzNormalizeTexto(f *testing.F) {
	for _, s := range semillasDeTexto {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := NormalizeTexto(s)
		if twice := NormalizeTexto(once); twice != once {
			t.Errorf("NormalizeTexto(%q) = %q, and again %q", s, once, twice)
		}
		if strings.TrimSpace(once) != once {
			t.Errorf("%q is not trimmed", once)
		}
		if !norm.NFC.IsNormalString(once) {
			t.Errorf("%q is not composed", once)
		}
		if utf8.ValidString(s) && once != strings.TrimSpace(norm.NFC.String(s)) {
			t.Errorf("the short cut changed %q into %q", s, once)
		}
	})
}

func BenchmarkNormalizeTexto(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		NormalizeTexto("Avenida Revolución 1234, Álvaro Obregón")
	}
}

func BenchmarkIsTexto(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		IsTexto("Avenida Revolución 1234, Álvaro Obregón", MaxDireccion)
	}
}
