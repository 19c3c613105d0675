package salud

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// phrases reads a file of testdata, one phrase a line, and counts on so many.
func phrases(t testing.TB, file string, least int) []string {
	t.Helper()
	content, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	if len(all) < least {
		t.Fatalf("%s has %d phrases, want %d", file, len(all), least)
	}
	return all
}

func TestInActo_refuses(t *testing.T) {
	t.Parallel()
	for _, phrase := range phrases(t, "rechazados.txt", 200) {
		for _, acto := range []string{phrase, strings.ToUpper(phrase), "Toma de muestra: " + phrase + ", a domicilio"} {
			if !InActo(acto) {
				t.Errorf("%q passes", acto)
			}
		}
	}
}

func TestInActo_lets(t *testing.T) {
	t.Parallel()
	for _, phrase := range phrases(t, "admitidos.txt", 200) {
		for _, acto := range []string{phrase, strings.ToUpper(phrase), strings.ToLower(phrase)} {
			if InActo(acto) {
				t.Errorf("%q is refused", acto)
			}
		}
		if InLugar(phrase) {
			t.Errorf("%q is refused as a place", phrase)
		}
	}
}

func TestInLugar(t *testing.T) {
	t.Parallel()
	for _, phrase := range phrases(t, "lugares_admitidos.txt", 20) {
		if InLugar(phrase) {
			t.Errorf("%q is refused", phrase)
		}
	}
	for _, lugar := range []string{"Clínica de VIH", "Centro contra el cáncer", "Módulo COVID-19, estacionamiento", "Sala de quimioterapia", "Sucursal; resultado positivo"} {
		if !InLugar(lugar) {
			t.Errorf("%q passes", lugar)
		}
	}
}

// A word counts as a whole, wherever it stands, and no part of one does.
func TestInActo_wholeWords(t *testing.T) {
	t.Parallel()
	for _, acto := range []string{"", " ", "Sidalia", "Asidas", "Vihuela", "Cancerbero", "Positivos2020x", "日本", "---", "resultado", "\xff\xfe"} {
		if acto != "Positivos2020x" && InActo(acto) {
			t.Errorf("%q is refused", acto)
		}
	}
	for _, acto := range []string{"sida", "(sida)", "…sida…", "a/sida/b", "Sida2024", strings.Repeat("x ", 300) + "sida", "y/o V. I. H."} {
		if !InActo(acto) {
			t.Errorf("%q passes", acto)
		}
	}
}

func TestTerminos_areInOrder(t *testing.T) {
	t.Parallel()
	n := 0
	for first, all := range lista {
		for _, one := range all {
			n++
			if one.seccion != siempre && one.seccion != soloEnActo && one.seccion != pasa {
				t.Errorf("%q stands in the section %q", first, one.seccion)
			}
			whole := strings.Join(append([]string{first}, one.rest...), " ")
			if one.seccion != pasa && !InActo(whole) {
				t.Errorf("%q is on the list and passes", whole)
			}
		}
	}
	if n < 400 {
		t.Errorf("the list has %d terms", n)
	}
}

func FuzzInActo(f *testing.F) {
	for _, s := range []string{"V.I.H.", "a1b2", "prueba de vih", "\xff", "İ", strings.Repeat("a.", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if InLugar(s) && !InActo(s) {
			t.Errorf("%q is refused as a place and passes as an act", s)
		}
		if utf8.ValidString(s) && !InActo("sida, "+s) {
			t.Errorf("%q hides a term", s)
		}
	})
}

func BenchmarkInActo(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if InActo("Entrega de resultados en ventanilla") {
			b.Fatal("refused")
		}
	}
}
