package evidencia

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// lines are those of a file, without their ends.
func lines(file string) []string { return strings.Split(strings.TrimSuffix(file, "\n"), "\n") }

func joined(all []string) string { return strings.Join(all, "\n") + "\n" }

// The lines of a file of export are, in JSON Lines: 1 the heading, 2 to 4 of registros, 5 to
// 14 the entries 3 to 12, 15 the signature. In CSV each is one further down.
func TestVerify_namesWhatIsWrong(t *testing.T) {
	swap := func(all []string, i, j int) []string {
		all[i-1], all[j-1] = all[j-1], all[i-1]
		return all
	}
	remove := func(all []string, from, to int) []string { return slices.Delete(all, from-1, to) }
	endless := strings.Repeat("x", 2*maxLinea)
	replace := func(all []string, line int, old, fresh string) []string {
		if !strings.Contains(all[line-1], old) {
			panic("line has no " + old + ": " + all[line-1])
		}
		all[line-1] = strings.Replace(all[line-1], old, fresh, 1)
		return all
	}
	for name, tt := range map[string]struct {
		change func(all []string) []string
		want   string
	}{
		"a changed text":            {func(all []string) []string { return replace(all, 7, "PUI", "OTRO") }, "La línea 7 fue cambiada: es el asiento 5"},
		"a changed instant":         {func(all []string) []string { return replace(all, 7, ".123456Z", ".123457Z") }, "La línea 7 fue cambiada"},
		"changed data":              {func(all []string) []string { return replace(all, 7, `"n":4`, `"n":5`) }, "La línea 7 fue cambiada"},
		"a changed hash":            {func(all []string) []string { return replace(all, 7, `"hash":"`, `"hash":"0000`) }, "La línea 7 fue cambiada"},
		"a changed number":          {func(all []string) []string { return replace(all, 7, `"numero":5`, `"numero":50`) }, "La línea 7 fue cambiada: es el asiento 5"},
		"another space":             {func(all []string) []string { return replace(all, 7, `"numero":5`, `"numero": 5`) }, "La línea 7 fue cambiada: no está como se escribió"},
		"a field more":              {func(all []string) []string { return replace(all, 7, `{`, `{"nota":"x",`) }, "La línea 7 fue cambiada: no está como se escribió"},
		"half a line":               {func(all []string) []string { all[6] = all[6][:40]; return all }, "La línea 7 fue cambiada: no está como se escribió"},
		"an empty line":             {func(all []string) []string { all[6] = ""; return all }, "La línea 7 fue cambiada: no está como se escribió"},
		"a missing entry":           {func(all []string) []string { return remove(all, 7, 7) }, "Falta el asiento 5, antes de la línea 7."},
		"missing entries":           {func(all []string) []string { return remove(all, 7, 9) }, "Falta de el asiento 5 al 7, antes de la línea 7."},
		"the first entry missing":   {func(all []string) []string { return remove(all, 5, 5) }, "Falta el asiento 3, antes de la línea 5."},
		"the last entry missing":    {func(all []string) []string { return remove(all, 14, 14) }, "Falta el asiento 12, antes de la línea 14."},
		"all entries missing":       {func(all []string) []string { return remove(all, 5, 14) }, "Falta de el asiento 3 al 12"},
		"a missing search":          {func(all []string) []string { return remove(all, 2, 2) }, "Falta la búsqueda o coincidencia 1, antes de la línea 2."},
		"the match missing":         {func(all []string) []string { return remove(all, 4, 4) }, "Falta la búsqueda o coincidencia 3"},
		"a changed search":          {func(all []string) []string { return replace(all, 3, `"registros":0`, `"registros":1`) }, "La línea 3 fue cambiada: es la búsqueda o coincidencia 2"},
		"two swapped":               {func(all []string) []string { return swap(all, 7, 8) }, "La línea 7 está fuera de orden: trae el asiento 6 y le toca al 5, que está en la línea 8."},
		"two far ones swapped":      {func(all []string) []string { return swap(all, 6, 13) }, "La línea 6 está fuera de orden: trae el asiento 11 y le toca al 4, que está en la línea 13."},
		"a line twice":              {func(all []string) []string { return slices.Insert(all, 7, all[6]) }, "La línea 8 está fuera de orden o repetida: trae el asiento 5 y le toca al 6."},
		"a search among entries":    {func(all []string) []string { return swap(all, 4, 5) }, "La línea 5 está fuera de orden: las búsquedas y coincidencias van antes"},
		"no heading":                {func(all []string) []string { return remove(all, 1, 1) }, "no es evidencia"},
		"no signature":              {func(all []string) []string { return remove(all, 15, 15) }, "Falta el final: el archivo está cortado después de la línea 14."},
		"cut in a line":             {func(all []string) []string { return append(remove(all, 10, 15), `{"numero":8,"id":"`) }, "La línea 10 fue cambiada"},
		"something afterwards":      {func(all []string) []string { return append(all, all[13]) }, "Hay algo después de la firma, que está en la línea 15."},
		"two headings":              {func(all []string) []string { return slices.Insert(all, 4, all[0]) }, "La línea 5 es otro encabezado"},
		"another institution":       {func(all []string) []string { return replace(all, 1, "LAB010101AB1", "LAB010101AB2") }, "El encabezado"},
		"another period":            {func(all []string) []string { return replace(all, 1, `"desde":"2026`, `"desde":"2025`) }, "El encabezado"},
		"another version":           {func(all []string) []string { return replace(all, 1, "v1.2.3", "v1.2.4") }, "El encabezado"},
		"another signature":         {func(all []string) []string { return replace(all, 15, `"firma":"`, `"firma":"AAAA`) }, "El encabezado"},
		"another count":             {func(all []string) []string { return replace(all, 15, `"asientos":10`, `"asientos":11`) }, "El encabezado"},
		"signed by somebody else":   {func(all []string) []string { return resigned(t, all) }, "El archivo trae la llave"},
		"a format of another time":  {func(all []string) []string { return replace(all, 1, formato, "enlace.evidencia.v9") }, "use uno más nuevo"},
		"the heading twice":         {func(all []string) []string { return replace(all, 1, `{`, `{"encabezado":{"nombre":"Otro"},`) }, "La línea 1 fue cambiada: no está como se escribió"},
		"the signature twice":       {func(all []string) []string { return replace(all, 15, `{`, `{"firma":{"asientos":9},`) }, "La línea 15 fue cambiada: no está como se escribió"},
		"a return before the end":   {func(all []string) []string { all[6] += "\r"; return all }, "La línea 7 fue cambiada: no está como se escribió"},
		"an endless line":           {func(all []string) []string { all[8] = endless; return all }, "La línea 9 fue cambiada: no está como se escribió"},
		"missing before an endless": {func(all []string) []string { all[8] = endless; return remove(all, 7, 7) }, "Falta el asiento 5, antes de la línea 7."},
		"swapped around an endless": {func(all []string) []string { all[7] = endless; return swap(all, 7, 9) }, "La línea 7 está fuera de orden: trae el asiento 7 y le toca al 5, que está en la línea 9."},
		"nothing of it is evidence": {func([]string) []string { return []string{"hola"} }, "no es evidencia de Enlace"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := verify(joined(tt.change(lines(export(t, "jsonl")))), llaves(t, "a").Publicas()[0])
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

// A line of CSV says the same thing in one way only, too, and nothing beside.
func TestVerify_linesOfCSV(t *testing.T) {
	for name, tt := range map[string]struct {
		line       int
		old, fresh string
		want       string
	}{
		"a sign before the number":     {8, "5,", "+5,", "La línea 8 fue cambiada"},
		"a zero before the number":     {8, "5,", "05,", "La línea 8 fue cambiada"},
		"a quoted cell":                {8, ",PUI,", ",'PUI,", "La línea 8 fue cambiada"},
		"quotes without need":          {8, ",PUI,", `,"PUI",`, "La línea 8 fue cambiada"},
		"a note beside the heading":    {2, ",,", ",nota,", "La línea 2 fue cambiada"},
		"a number before the heading":  {2, ",", "1,", "La línea 2 fue cambiada"},
		"a note beside the signature":  {16, ",,", ",nota,", "La línea 16 fue cambiada"},
		"another title":                {1, "actor", "actriz", "La línea 1 fue cambiada"},
		"a quote that nobody closes":   {8, ",PUI,", `,"PUI,`, "La línea 8 fue cambiada"},
		"a return before the line end": {8, "\n", "\r\n", "La línea 8 fue cambiada"},
		"no end of the last line":      {16, "\n", "", "La línea 16 fue cambiada"},
	} {
		t.Run(name, func(t *testing.T) {
			all := slices.Collect(strings.Lines(export(t, "csv")))
			changed := strings.Replace(all[tt.line-1], tt.old, tt.fresh, 1)
			if changed == all[tt.line-1] {
				t.Fatalf("line has no %q: %s", tt.old, changed)
			}
			all[tt.line-1] = changed
			_, err := verify(strings.Join(all, ""), nil)
			if !errs.Is(err, errores.Conflicto) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

// A quote that nobody closes hides none of the lines behind it.
func TestVerify_readsOnBehindAnOpenQuote(t *testing.T) {
	all := lines(export(t, "csv"))
	hash := strings.LastIndex(all[8], ",") + 1
	all[8] = all[8][:hash] + `"` + all[8][hash:]
	all[7], all[9] = all[9], all[7]
	_, err := verify(joined(all), nil)
	if want := "le toca al 5, que está en la línea 10."; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// resigned is a file that somebody else signed anew, with a key of their own.
func resigned(t *testing.T, all []string) []string {
	t.Helper()
	other := llaves(t, "z")
	own := llaves(t, "a").Publicas()[0].String()
	all[0] = strings.Replace(all[0], own, other.Publicas()[0].String(), 1)
	file := joined(all)
	in, err := newReader(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var e encabezado
	for range all {
		p, err := in.next()
		switch {
		case err != nil:
			t.Fatal(err)
		case p.encabezado != nil:
			e = *p.encabezado
		case p.pie != nil:
			p.pie.Firma = other.sign(e, *p.pie)
			text, err := plainJSON(p.pie)
			if err != nil {
				t.Fatal(err)
			}
			all[len(all)-1] = `{"firma":` + string(text) + `}`
		}
	}
	_, err = verify(joined(all), nil)
	if err != nil {
		t.Errorf("with the file's own key: %v", err)
	}
	return all
}

// Whatever one byte of a file is changed, or one line taken away or moved, it is found; in
// both formats.
func TestVerify_findsAnyChange(t *testing.T) {
	for _, formato := range []string{"jsonl", "csv"} {
		file := export(t, formato)
		random := rand.New(rand.NewPCG(1, 2))
		for range 2000 {
			changed := []byte(file)
			at := random.IntN(len(changed) - 1)
			changed[at] ^= byte(1 << random.IntN(7))
			wantFound(t, string(changed), formato, fmt.Sprintf("byte %d", at))
		}
		all := lines(file)
		for i := range all {
			wantFound(t, joined(slices.Delete(slices.Clone(all), i, i+1)), formato, fmt.Sprintf("without line %d", i+1))
			for j := range i {
				moved := slices.Clone(all)
				moved[i], moved[j] = moved[j], moved[i]
				wantFound(t, joined(moved), formato, fmt.Sprintf("lines %d and %d swapped", i+1, j+1))
			}
		}
	}
}

func wantFound(t *testing.T, file, formato, what string) {
	t.Helper()
	_, err := verify(file, nil)
	if !errs.Is(err, errores.Conflicto) && !errs.Is(err, errores.Validacion) {
		t.Errorf("%s, %s: %v", formato, what, err)
	}
}
