package golden

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator makes records as institutions send them: right for the most part, often odd,
// and each now and then wrong. Its seed is fixed, so that a failure comes again.
type generator struct {
	*rand.Rand
	made int
}

func newGenerator() *generator {
	return &generator{Rand: rand.New(rand.NewPCG(4, 1))}
}

// What a mutation puts in the place of a right value, for texts and for the rest.
var (
	oddTexts = []string{
		"", " ", "Av. Juárez N° 5 & 7", "Jose\u0301 MARÍA-JOSÉ D’ÁNGELO", "日本 5½", "½½½½½½", "a\tb", "\u0000", "\u200b", "\u0085",
		"<script>alert(1)</script>", `"; DROP TABLE registros; --`, "ﬁ ŁÓDŹ ẞ Œ", "e\u0301e\u0301e\u0301", "😀", "…", "№ 5", "\u00a0x\u2003",
		"A_B*C=D{E}[F]|G~H^I`J", "_", "'", "-", "''--''", "1234567890", "ÀÂÃÄÅÆÇ", "\u202eabc",
		"N/A", "S/N", "Prueba de VIH", "Resultado positivo",
	}
	oddCurps = []string{
		"", "TEST010101HDFABC01", "XEXX010101HNEXXXA0", " pexa900115hdfrxn06 ", "PEÑA900115HDFRXN06", "PEXA900115HDFRXN0", "000000000000000000",
	}
	oddFechas    = []string{"", "2999-01-01", "1899-12-31", "1900-01-01", "2024-02-29", "2023-02-29", "hoy", "2024-06-01T00:00:00Z", " 2024-06-01 ", "2024-06-01 10:00", "0000-00-00"}
	oddLugares   = []string{"", "cdmx", "Queretaro", "FORANEO", "DESCONOCIDO", "MARTE", "MÉXICO", "san luis potosi", "Distrito Federal", "Extranjero"}
	oddSexos     = []string{"", "h", "M", "X", "F", "Masculino"}
	oddTelefonos = []any{5512345678, "5512345678 ext. 12", "", "+52 (55) 1234-5678", "1234567", "123456789012345", "1234567890123456", "55 1234 5678 x 9", "+12345678"}
	oddCorreos   = []string{
		"", "usuario@ejemplo", "ñ@ejemplo.mx", "a.b+c@sub.ejemplo.mx", "usuario@ejemplo.m", "usuario@ejemplo..mx", "%@ejemplo.mx", "'@ejemplo.mx",
		strings.Repeat("a", 60) + "@ejemplo.mx", "a@b.c0",
	}
	oddPostales = []any{1000, 6000.5, "S/D", "", "01000", " 99999 ", "1000", "0100A"}
)

var maxima = map[string]int{
	"folio": 64, "tipo_evento": 500, "descripcion_lugar_evento": 500, "nombre": 50, "primer_apellido": 50, "segundo_apellido": 50,
	"direccion": 500, "calle": 50, "numero": 20, "colonia": 50, "municipio_o_alcaldia": 100, "entidad_federativa": 40,
}

var letters = []rune("aZéÑ°&-'. ;½#/:()9_,🙂Łß\u0301")

// registro is the next record; most have a folio and a CURP of their own.
func (g *generator) registro() map[string]any {
	g.made++
	r := map[string]any{
		"folio":        fmt.Sprintf("P-%06d", g.made),
		"curp":         fmt.Sprintf("PRUE%06dHDFRXN%02d", g.made%1_000_000, g.IntN(100)),
		"tipo_evento":  "Toma de muestra",
		"fecha_evento": fmt.Sprintf("20%02d-%02d-%02d", g.IntN(25), 1+g.IntN(12), 1+g.IntN(28)),
	}
	for _, name := range []string{"tipo_evento", "descripcion_lugar_evento", "nombre", "primer_apellido", "segundo_apellido"} {
		g.sometimes(r, name, func() any { return g.text(maxima[name]) })
	}
	g.sometimes(r, "telefono", func() any { return pick(g, oddTelefonos) })
	g.sometimes(r, "correo", func() any { return pick(g, oddCorreos) })
	g.sometimes(r, "lugar_nacimiento", func() any { return pick(g, oddLugares) })
	g.sometimes(r, "sexo_asignado", func() any { return pick(g, oddSexos) })
	g.sometimes(r, "fecha_nacimiento", func() any { return pick(g, oddFechas) })
	g.sometimes(r, "domicilio", func() any { return g.direccion() })
	g.sometimes(r, "direccion_evento", func() any { return g.direccion() })
	if g.IntN(20) == 0 {
		r["folio"] = g.text(maxima["folio"])
	}
	if g.IntN(20) == 0 {
		r["curp"] = pick(g, oddCurps)
	}
	if g.IntN(20) == 0 {
		r["fecha_evento"] = pick(g, oddFechas)
	}
	if g.IntN(50) == 0 {
		r[pick(g, []string{"estudio", "Folio", "<b>", "nombre", "domicilio", "a/b~c", "\u0001"})] = pick(g, []any{7, true, []string{}, "x"})
	}
	return r
}

func (g *generator) sometimes(r map[string]any, name string, value func() any) {
	if g.IntN(4) == 0 {
		r[name] = value()
	}
}

func (g *generator) direccion() map[string]any {
	d := map[string]any{}
	for _, name := range []string{"direccion", "calle", "numero", "colonia", "municipio_o_alcaldia", "entidad_federativa"} {
		g.sometimes(d, name, func() any { return g.text(maxima[name]) })
	}
	g.sometimes(d, "codigo_postal", func() any { return pick(g, oddPostales) })
	return d
}

// text is odd, or of odd letters and any length up to a little over the greatest.
func (g *generator) text(maximum int) any {
	switch g.IntN(10) {
	case 0:
		return nil
	case 1, 2, 3:
		return pick(g, oddTexts)
	}
	length := g.IntN(min(maximum, 60))
	if g.IntN(10) == 0 {
		length = maximum - 1 + g.IntN(3)
	}
	text := make([]rune, length)
	for n := range text {
		text[n] = letters[g.IntN(len(letters))]
	}
	return string(text)
}

func pick[T any](g *generator, all []T) T {
	return all[g.IntN(len(all))]
}
