package manual

import (
	"regexp"
	"strings"
	"testing"
)

func TestNormalizeTelefono(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"55123456":                    "55123456",
		"5512345678":                  "5512345678",
		"+52 (55) 1234-5678":          "525512345678",
		"123456789012345":             "123456789012345",
		"+1-2-3-4-5-6-7-8":            "12345678",
		"55\u00a01234\u00a05678":      "5512345678",
		"55.1234.5678":                "5512345678",
		"55 1234 5678 ext. 12":        "5512345678",
		"5512345678EXT1":              "5512345678",
		"5512345678, Extensión: 1234": "5512345678",
	} {
		got, ok := NormalizeTelefono(s)
		if !ok || got != want {
			t.Errorf("NormalizeTelefono(%q) = %q, %v, want %q", s, got, ok, want)
		}
		if !IsTelefono(got) {
			t.Errorf("the platform does not take %q", got)
		}
	}
	for _, s := range []string{
		"", "+ - ()", "1234567", "1234567890123456", "55 1234 567a", "55\t12345678", "٠١٢٣٤٥٦٧", "5512345678 ext",
		"ext 12345678", "5512345678 ext 12 13", "5512345678 o 5587654321 ext 1",
	} {
		if got, ok := NormalizeTelefono(s); ok {
			t.Errorf("NormalizeTelefono(%q) = %q, accepted", s, got)
		}
	}
}

func TestIsTelefono(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"": true, "+": true, "5512345678": true, "+52551234567890": true, "123456789012345": true,
		"+123456789012345": false, "1234567890123456": false, "55 12": false, "++52": false, "52+": false,
	} {
		if got := IsTelefono(s); got != want {
			t.Errorf("IsTelefono(%q) = %v", s, got)
		}
	}
}

func TestIsCorreo(t *testing.T) {
	t.Parallel()
	expression := regexp.MustCompile(`^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,50}$`)
	justo := strings.Repeat("a", MaxCorreo-len("@b.mx")) + "@b.mx"
	for _, s := range []string{
		"", "a@b.mx", "a@b.m", "a@b.m1", "a@.mx", "a@..mx", "a@b", "@b.mx", "a@@b.mx", "a@b.mx@c", "A.b%c+d-e_f@x-y.com.mx",
		"niño@ejemplo.mx", "a'b@c.mx", "a@b_c.mx", "a@b.mx ", "a@ b.mx", "a@b.mx\n", justo, "a" + justo,
	} {
		want := expression.MatchString(s) && len(s) <= MaxCorreo
		if got := IsCorreo(s); got != want {
			t.Errorf("IsCorreo(%q) = %v, the manual says %v", s, got, want)
		}
	}
}

func FuzzIsCorreo(f *testing.F) {
	for _, s := range []string{"", "a@b.mx", "niño@ejemplo.mx", "a@b.mx@c", "a..b@c.mx", "A.b%c+d-e_f@x-y.com.mx"} {
		f.Add(s)
	}
	expression := regexp.MustCompile(`^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,50}$`)
	f.Fuzz(func(t *testing.T, s string) {
		if want := len(s) <= MaxCorreo && expression.MatchString(s); IsCorreo(s) != want {
			t.Errorf("IsCorreo(%q) = %v, the manual says %v", s, !want, want)
		}
	})
}

func TestIsCodigoPostal(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"01000": true, "99999": true, "": false, "1000": false, "010000": false, "0100a": false, "٠١٠٠٠": false, " 0100": false,
	} {
		if got := IsCodigoPostal(s); got != want {
			t.Errorf("IsCodigoPostal(%q) = %v", s, got)
		}
	}
}
