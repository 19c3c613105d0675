package jsonwire

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

func TestReadRegistros_notesWhatItCannotRead(t *testing.T) {
	noted := func(all ...string) *registrosv1.Registro {
		record := &registrosv1.Registro{}
		for _, one := range all {
			codigo, campo, _ := strings.Cut(one, " ")
			record.Ilegibles = append(record.Ilegibles, &registrosv1.Ilegible{Codigo: codigo, Campo: campo})
		}
		return record
	}
	withFolio := func(record *registrosv1.Registro) *registrosv1.Registro {
		record.Folio = "A"
		return record
	}
	tests := []struct {
		name, record string
		want         *registrosv1.Registro
	}{
		{"unknown", `{"estudio":{"a":[1]},"folio":"A"}`, withFolio(noted("campo_desconocido estudio"))},
		{"what services tell each other", `{"ilegibles":[],"folio":"A"}`, withFolio(noted("campo_desconocido ilegibles"))},
		{"other case", `{"Folio":"B","folio":"A"}`, withFolio(noted("campo_desconocido Folio"))},
		{"several", `{"b":1,"folio":"A","a":2}`, withFolio(noted("campo_desconocido b", "campo_desconocido a"))},
		{"below", `{"folio":"A","domicilio":{"pais":"x","calle":7}}`, func() *registrosv1.Registro {
			record := withFolio(noted("campo_desconocido domicilio/pais", "tipo_incorrecto domicilio/calle"))
			record.Domicilio = &registrosv1.Direccion{}
			return record
		}()},
		{"after an address", `{"domicilio":null,"folio":"A","x":1}`, withFolio(noted("campo_desconocido x"))},
		{"repeated, the first counts", `{"folio":"A","folio":"B","folio":7}`, withFolio(noted("campo_repetido folio", "campo_repetido folio"))},
		{"repeated, once null", `{"folio":null,"folio":"A"}`, noted("campo_repetido folio")},
		{"number for a text", `{"curp":7,"folio":"A"}`, withFolio(noted("tipo_incorrecto curp"))},
		{"boolean for a text", `{"folio":true}`, noted("tipo_incorrecto folio")},
		{"text for an address", `{"domicilio":"x","folio":"A"}`, withFolio(noted("tipo_incorrecto domicilio"))},
		{"fraction", `{"folio":7.0}`, noted("tipo_incorrecto folio")},
		{"exponent", `{"folio":7e2}`, noted("tipo_incorrecto folio")},
		{"blank for an address", `{"domicilio":" ","folio":"A"}`, &registrosv1.Registro{Folio: "A"}},
		{"deeper than any documented shape", `{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `,"folio":"A"}`,
			withFolio(noted("campo_desconocido x"))},
		{"no UTF-8", "{\"curp\":\"MU\xd1OZ\",\"folio\":\"A\"}", withFolio(noted("utf8 curp"))},
		{"half of a character", `{"curp":"\ud800","folio":"A"}`, withFolio(noted("utf8 curp"))},
		{"no UTF-8 below", "{\"domicilio\":{\"calle\":\"R\xedo\",\"numero\":\"5\"},\"folio\":\"A\"}", func() *registrosv1.Registro {
			record := withFolio(noted("utf8 domicilio/calle"))
			record.Domicilio = &registrosv1.Direccion{Numero: "5"}
			return record
		}()},
		{"no UTF-8 where nothing is kept", "{\"\xff\":\"\xff\",\"folio\":\"A\"}", withFolio(noted("campo_desconocido \ufffd"))},
		{"integers", `{"folio":-7,"telefono":5512345678901234567890,"domicilio":{"numero":12,"codigo_postal":6000}}`, &registrosv1.Registro{
			Folio: "-7", Telefono: "5512345678901234567890",
			Domicilio: &registrosv1.Direccion{Numero: "12", CodigoPostal: "6000"},
		}},
		{"null", `null`, noted("tipo_incorrecto ")},
		{"text", `"A"`, noted("tipo_incorrecto ")},
		{"array", `[{"folio":"A"}]`, noted("tipo_incorrecto ")},
	}
	for _, tt := range tests {
		var got registrosv1.SaveLoteRequest
		err := ReadRegistros([]byte(`[{"folio":"before"},`+tt.record+`,{"folio":"after"}]`), &got, 5001)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		want := []*registrosv1.Registro{{Folio: "before"}, tt.want, {Folio: "after"}}
		if diff := cmp.Diff(want, got.GetRegistros(), protocmp.Transform()); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
}

func TestReadRegistros_namesThatClientsMakeUp(t *testing.T) {
	for name, want := range map[string]string{
		`<b>hola</b>`:             `<b>hola<~1b>`,
		`a~b`:                     `a~0b`,
		`a\u0000b\nc`:             "a\ufffdb\ufffdc",
		strings.Repeat("ñ", 64):   strings.Repeat("ñ", 64),
		strings.Repeat("日", 1000): strings.Repeat("日", 64),
		"":                        "",
	} {
		var got registrosv1.SaveLoteRequest
		err := ReadRegistros([]byte(`{"`+name+`":1}`), &got, 5001)
		if err != nil {
			t.Fatal(err)
		}
		campo := got.GetRegistros()[0].GetIlegibles()[0].GetCampo()
		if campo != want || !utf8.ValidString(campo) {
			t.Errorf("%.20q is shown as %q, want %q", name, campo, want)
		}
	}
}

// A body that is nothing but unknown fields must not become a message for each of them, and yet
// each of them counts.
func TestReadRegistros_boundsWhatItNotes(t *testing.T) {
	const names, records = 40, 3000
	var record strings.Builder
	for i := range names {
		fmt.Fprintf(&record, `"x%d":1,`, i)
	}
	body := "[" + strings.Repeat(`{`+record.String()+`"folio":"A"},`, records-1) + `{` + record.String() + `"folio":"A"}]`
	var got registrosv1.SaveLoteRequest
	err := ReadRegistros([]byte(body), &got, 5001)
	if err != nil {
		t.Fatal(err)
	}
	notes, times := 0, map[string]int{}
	for i, r := range got.GetRegistros() {
		if len(r.GetIlegibles()) == 0 {
			t.Fatalf("nothing is noted of record %d", i)
		}
		notes += len(r.GetIlegibles())
		for _, one := range r.GetIlegibles() {
			times[one.GetCampo()] += 1 + int(one.GetOmitidos())
		}
	}
	if notes > maxIlegibles+records {
		t.Errorf("%d unreadable fields were noted", notes)
	}
	for name, n := range times {
		if n != records {
			t.Errorf("%s counts %d times, want %d", name, n, records)
		}
	}
	if len(times) != names {
		t.Errorf("%d names count, want %d", len(times), names)
	}
}

func TestReadRegistros_countsTogetherWhatItNeverNoted(t *testing.T) {
	var record strings.Builder
	for i := range maxIlegibles + 1000 {
		fmt.Fprintf(&record, `"x%d":1,`, i)
	}
	var got registrosv1.SaveLoteRequest
	err := ReadRegistros([]byte(`{`+record.String()+`"folio":"A"}`), &got, 5001)
	if err != nil {
		t.Fatal(err)
	}
	all := got.GetRegistros()[0].GetIlegibles()
	last := all[len(all)-1]
	if len(all) != maxIlegibles+1 || last.GetCampo() != "*" || last.GetOmitidos() != 999 {
		t.Errorf("%d are noted, the last one %v", len(all), last)
	}
}
