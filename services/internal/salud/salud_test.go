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
	for _, phrase := range phrases(t, "rechazados.txt", 250) {
		for _, acto := range []string{phrase, strings.ToUpper(phrase), "Toma de muestra: " + phrase + ", a domicilio"} {
			if !InActo(acto) {
				t.Errorf("%q passes", acto)
			}
		}
	}
}

func TestInActo_lets(t *testing.T) {
	t.Parallel()
	for _, phrase := range phrases(t, "admitidos.txt", 250) {
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

func TestInLugar_refuses(t *testing.T) {
	t.Parallel()
	acts := phrases(t, "rechazados.txt", 250)
	for _, phrase := range append(acts, phrases(t, "lugares_rechazados.txt", 40)...) {
		if !InLugar(phrase) || !InLugar("Sucursal Centro, "+strings.ToLower(phrase)) {
			t.Errorf("%q passes", phrase)
		}
	}
}

func TestInLugar_lets(t *testing.T) {
	t.Parallel()
	for _, phrase := range phrases(t, "lugares_admitidos.txt", 60) {
		if InLugar(phrase) || InLugar(strings.ToUpper(phrase)) {
			t.Errorf("%q is refused", phrase)
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
	secciones := map[string]int{siempre: 0, resultado: 0, adjetivo: 0, clave: 0, codigo: 0, nombre: 0, servicio: 0, signo: 0, pasa: 0}
	for first, all := range lista {
		for _, one := range all {
			_, known := secciones[one.seccion]
			if !known {
				t.Errorf("%q stands in the section %q", first, one.seccion)
			}
			secciones[one.seccion]++
			whole := strings.Join(append([]string{first}, one.rest...), " ")
			whole = strings.ReplaceAll(whole, numero, "7")
			if one.seccion != pasa && one.seccion != adjetivo && one.seccion != signo && !InActo(whole) {
				t.Errorf("%q is on the list and passes", whole)
			}
		}
	}
	for seccion, n := range secciones {
		if n < 5 {
			t.Errorf("%s has %d terms", seccion, n)
		}
	}
}

func TestVecinos_areInOrder(t *testing.T) {
	t.Parallel()
	for seccion, words := range lines(textoVecinos) {
		if clases[seccion] == 0 || len(words) != 1 && clases[seccion] != comun {
			t.Errorf("%q stands in the section %q", words, seccion)
		}
		for _, word := range words {
			if clases[seccion] == comun && parecidos.find([]byte(word)) == nil {
				t.Errorf("%q is like no term: it needs no place in %s", word, seccion)
			}
		}
	}
}

func FuzzInActo(f *testing.F) {
	for _, s := range []string{"V.I.H.", "a1b2", "prueba de vih", "\xff", "İ", strings.Repeat("a.", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, f := range []forma{acto, lugar, direccion} {
			if named(s, f) && !primera.holds(s, f) {
				t.Errorf("%q passes the first look as %d", s, f)
			}
		}
		for _, left := range []string{WithoutLugar(s), WithoutDireccion(s)} {
			if InDireccion(left) || left == WithoutLugar(s) && InLugar(left) {
				t.Errorf("%q became %q", s, left)
			}
		}
		if InLugar(s) && !InActo(s) {
			t.Errorf("%q is refused as a place and passes as an act", s)
		}
		if utf8.ValidString(s) && !InActo("sida, "+s) {
			t.Errorf("%q hides a term", s)
		}
	})
}

// What the first look lets pass the whole look does too.
func TestCriba_agrees(t *testing.T) {
	t.Parallel()
	held, texts := 0, 0
	for _, file := range []string{"rechazados.txt", "admitidos.txt", "lugares_admitidos.txt", "lugares_rechazados.txt"} {
		for _, phrase := range phrases(t, file, 40) {
			for _, s := range []string{phrase, strings.ToUpper(phrase), phrase + "s", phrase + "es", "Juan, " + phrase} {
				for _, f := range []forma{acto, lugar, direccion} {
					texts++
					if primera.holds(s, f) {
						held++
					} else if named(s, f) {
						t.Errorf("%q passes the first look as %d", s, f)
					}
				}
			}
		}
	}
	t.Logf("%d of %d get the whole look", held, texts)
}

func BenchmarkInDireccion(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if InDireccion("Avenida Revolución 1234, Álvaro Obregón") {
			b.Fatal("refused")
		}
	}
}

func BenchmarkInActo(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if InActo("Entrega de resultados en ventanilla") {
			b.Fatal("refused")
		}
	}
}
