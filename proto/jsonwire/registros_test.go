package jsonwire

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

func TestReadRegistros_shapes(t *testing.T) {
	one := []*registrosv1.Registro{{Folio: "A"}}
	two := []*registrosv1.Registro{{Folio: "A"}, {Folio: "B"}}
	tests := []struct {
		name, body string
		want       []*registrosv1.Registro
	}{
		{"envelope", `{"registros":[{"folio":"A"},{"folio":"B"}]}`, two},
		{"envelope, name escaped", `{"registro\u0073":[{"folio":"A"}]}`, one},
		{"empty envelope", `{"registros":[]}`, nil},
		{"null envelope", `{"registros":null}`, nil},
		{"no member", ` { } `, nil},
		{"array", `[{"folio":"A"},{"folio":"B"}]`, two},
		{"empty array", `[ ]`, nil},
		{"single record", ` {"folio":"A"}`, one},
		{"single record, white space first", "{\n \"folio\" : \"A\"\n}\n", one},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got registrosv1.SaveLoteRequest
			err := ReadRegistros([]byte(tt.body), &got, 5001)
			if err != nil {
				t.Fatalf("ReadRegistros: %v", err)
			}
			if diff := cmp.Diff(tt.want, got.GetRegistros(), protocmp.Transform()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadRegistros_pointsIntoTheEnvelope(t *testing.T) {
	tests := []struct {
		name, body, codigo, puntero string
		offset                      int64
	}{
		{"record with the envelope's name later", `{"folio":"A","registros":[]}`, CodigoCampoDesconocido, "/registros/0/registros", 13},
		{"envelope", `{"registros":[{},{"domicilio":{"calle":nada}}]}`, CodigoSintaxis, "/registros/1/domicilio/calle", 39},
		{"array", `[{},{"domicilio":{"calle":nada}}]`, CodigoSintaxis, "/registros/1/domicilio/calle", 26},
		{"single record", `{"domicilio":{"calle":nada}}`, CodigoSintaxis, "/registros/0/domicilio/calle", 22},
		{"unknown field of a record", `[{"ajeno":nada}]`, CodigoSintaxis, "/registros/0/ajeno", 10},
		{"repeated field of a record", `[{"folio":"A","folio":nada}]`, CodigoSintaxis, "/registros/0/folio", 22},
		{"mistyped field of a record", `[{"folio":[nada]}]`, CodigoSintaxis, "/registros/0/folio", 11},
		{"number with a zero before it", `[{"folio":07}]`, CodigoSintaxis, "/registros/0", 11},
		{"another member of the envelope", `{"registros":[],"folio":"A"}`, CodigoCampoDesconocido, "/folio", 16},
		{"envelope twice", `{"registros":[],"registros":[]}`, CodigoClaveRepetida, "/registros", 16},
		{"envelope of an object", `{"registros":{}}`, CodigoTipo, "/registros", 13},
		{"text root", `"A"`, CodigoTipo, "", 0},
		{"null root", `null`, CodigoTipo, "", 0},
		{"empty", ``, CodigoVacio, "", 0},
		{"NUL root", "\x00", CodigoSintaxis, "", 0},
		{"trailing data after an array", `[]]`, CodigoDatosSobrantes, "", 2},
		{"trailing data after a record", `{"folio":"A"},{"folio":"B"}`, CodigoDatosSobrantes, "", 13},
		{"cut", `[{"folio":"A"}`, CodigoSintaxis, "/registros", 14},
		{"broken first name", `{"fol`, CodigoSintaxis, "/registros/0", 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := ReadRegistros([]byte(tt.body), &registrosv1.SaveLoteRequest{}, 5001)
			checkError(t, err, tt.codigo, tt.puntero, tt.offset)
		})
	}
}

func TestReadRegistros_keepsNoMoreThanTheLimit(t *testing.T) {
	body := "[" + strings.Repeat(`{"folio":"A"},`, 9) + `{"cualquier":["cosa"]}]`
	var got registrosv1.SaveLoteRequest
	err := ReadRegistros([]byte(body), &got, 4)
	if err != nil || len(got.GetRegistros()) != 4 {
		t.Errorf("got %d records, %v; want 4", len(got.GetRegistros()), err)
	}

	body = "[" + strings.Repeat(`{"folio":"A"},`, 9) + `{"folio":]`
	err = ReadRegistros([]byte(body), &registrosv1.SaveLoteRequest{}, 4)
	checkError(t, err, CodigoSintaxis, "/registros/9/folio", int64(len(body)-1))
}

func TestReadRegistros_refusesAnotherMessage(t *testing.T) {
	err := ReadRegistros([]byte(`[]`), &registrosv1.PingRequest{}, 1)
	if err == nil {
		t.Error("a message without records was filled with records")
	}
}

func TestReadRegistros_aBatchTakesFewAllocations(t *testing.T) {
	body := batchBody(t, 1000)
	allocations := testing.AllocsPerRun(5, func() {
		var lote registrosv1.SaveLoteRequest
		err := ReadRegistros(body, &lote, 5001)
		if err != nil {
			t.Error(err)
		}
	})
	if allocations > 200 {
		t.Errorf("%v allocations for 1000 records; texts or messages are made one by one", allocations)
	}
}

func TestValid(t *testing.T) {
	for _, body := range []string{`{}`, `[]`, `null`, `"x"`, `-0.5E-7`, ` [1,{"a":{"a":[true,false]}}] `, `{"a":1,"a":2}`} {
		err := Valid([]byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
	tests := []struct {
		body, codigo, puntero string
		offset                int64
	}{
		{``, CodigoVacio, "", 0},
		{`hola`, CodigoSintaxis, "", 0},
		{`{} x`, CodigoDatosSobrantes, "", 3},
		{`[1,]`, CodigoSintaxis, "/1", 3},
		{`{"a b":nul}`, CodigoSintaxis, "/a b", 7},
		{`1.`, CodigoSintaxis, "", 2},
		{`1e`, CodigoSintaxis, "", 2},
		{`01`, CodigoDatosSobrantes, "", 1},
		{`{"a":"` + "\xc3" + `"}`, CodigoUTF8, "/a", 6},
		{strings.Repeat("[", 40) + strings.Repeat("]", 40), CodigoProfundidad, strings.Repeat("/0", maxDepth), maxDepth},
	}
	for _, tt := range tests {
		checkError(t, Valid([]byte(tt.body)), tt.codigo, tt.puntero, tt.offset)
	}
}
