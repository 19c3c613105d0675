package grpcapi

import (
	"errors"
	"slices"
	"testing"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

func TestReadEvento(t *testing.T) {
	evento, err := readEvento([]byte(` {"id":"e","tipo":"registro.creado","fecha":"f","datos":{"folio":"A","domicilio":{"calle":"C"},"nombre":null,"direccion_evento":null}} `))
	if err != nil || evento.ID != "e" || evento.Datos.Folio != "A" || evento.Datos.Domicilio.Calle != "C" {
		t.Errorf("read %+v, %v", evento, err)
	}
	empty, err := readEvento([]byte(`{"id":null,"datos":null}`))
	if err != nil || empty.ID != "" || empty.Datos != nil {
		t.Errorf("read %+v, %v", empty, err)
	}
}

// The record of an event is read as one of a batch (contract.md 5).
func TestReadEvento_leavesTheRecordToRegistros(t *testing.T) {
	evento, err := readEvento([]byte(`{"id":"e","datos":{"telefono":5555555555,"estudio":"x","curp":{},"domicilio":{"calle":"a","calle":"b"},"ilegibles":[],"nombre":"\ud800"}}`))
	if err != nil {
		t.Fatal(err)
	}
	var noted []string
	for _, one := range evento.Datos.GetIlegibles() {
		noted = append(noted, one.GetCodigo()+" "+one.GetCampo())
	}
	want := []string{"campo_desconocido estudio", "tipo_incorrecto curp", "campo_repetido domicilio/calle", "campo_desconocido ilegibles", "utf8 nombre"}
	if !slices.Equal(noted, want) || evento.Datos.GetTelefono() != "5555555555" {
		t.Errorf("%q are noted and the telephone is %q", noted, evento.Datos.GetTelefono())
	}
	text, err := readEvento([]byte(`{"id":"e","datos":"x"}`))
	if err != nil || len(text.Datos.GetIlegibles()) != 1 {
		t.Errorf("read %+v, %v", text, err)
	}
}

func TestReadEvento_refuses(t *testing.T) {
	tests := []struct {
		name, cuerpo    string
		codigo, puntero string
		byte            int64
	}{
		{"empty", "", "vacio", "", 0},
		{"blank", " \n", "vacio", "", 2},
		{"no JSON", "hola", "sintaxis", "", 0},
		{"cut off", `{"id":"e"`, "sintaxis", "", 9},
		{"trailing data", `{"id":"e"} {}`, "datos_sobrantes", "", 11},
		{"null", "null", "tipo", "", 0},
		{"array", `[{"id":"e"}]`, "tipo", "", 0},
		{"text", `"e"`, "tipo", "", 0},
		{"number for text", `{"id":7}`, "tipo", "/id", 6},
		{"object for text", `{"fecha":{}}`, "tipo", "/fecha", 9},
		{"unknown field", `{"id":"e","version":1}`, "campo_desconocido", "/version", 10},
		{"another case is another field", `{"ID":"e"}`, "campo_desconocido", "/ID", 1},
		{"unknown field with any name", `{"estudio médico":"x"}`, "campo_desconocido", "/estudio médico", 1},
		{"repeated field", `{"id":"e","id":"e"}`, "clave_repetida", "/id", 10},
		{"invalid UTF-8", "{\"id\":\"a\xff\"}", "utf8", "/id", 8},
		{"half a surrogate", `{"id":"\ud800"}`, "utf8", "/id", 7},
		{"control character", "{\"id\":\"a\nb\"}", "sintaxis", "/id", 8},
		{"comment", `{"id":"e"/* */}`, "sintaxis", "", 9},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readEvento([]byte(tt.cuerpo))
			refusal, ok := errors.AsType[*errs.Error](err)
			if !ok || refusal.Motivo != errores.JSONInvalido || len(refusal.Fields) != 1 {
				t.Fatalf("error = %v", err)
			}
			field := refusal.Fields[0]
			if field.Codigo != tt.codigo || field.Puntero != tt.puntero || field.Byte != tt.byte || field.Mensaje == "" {
				t.Errorf("%+v, want %s at %q, byte %d", field, tt.codigo, tt.puntero, tt.byte)
			}
		})
	}
}

func FuzzReadEvento(f *testing.F) {
	f.Add([]byte(`{"id":"e","tipo":"registro.creado","fecha":"2026-01-01T00:00:00Z","datos":{"folio":"A"}}`))
	f.Add([]byte("{\"a\xff\":[1,{}]}"))
	f.Fuzz(func(t *testing.T, cuerpo []byte) {
		_, err := readEvento(cuerpo)
		if err == nil {
			return
		}
		refusal, ok := errors.AsType[*errs.Error](err)
		if !ok || refusal.Motivo != errores.JSONInvalido || len(refusal.Fields) != 1 {
			t.Fatalf("error = %v", err)
		}
		if offset := refusal.Fields[0].Byte; offset < 0 || offset > int64(len(cuerpo)) {
			t.Errorf("byte %d of %d", offset, len(cuerpo))
		}
	})
}
