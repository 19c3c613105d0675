package grpcapi

import (
	"errors"
	"testing"

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
		{"text for object", `{"datos":"x"}`, "tipo", "/datos", 9},
		{"array for object", `{"datos":{"domicilio":[]}}`, "tipo", "/datos/domicilio", 22},
		{"object for text", `{"datos":{"curp":{}}}`, "tipo", "/datos/curp", 17},
		{"unknown field", `{"id":"e","version":1}`, "campo_desconocido", "/version", 10},
		{"unknown field of the record", `{"datos":{"diagnostico":"x"}}`, "campo_desconocido", "/datos/diagnostico", 10},
		{"another case is another field", `{"ID":"e"}`, "campo_desconocido", "/ID", 1},
		{"unknown field not shown", `{"datos":{"<script>":"x"}}`, "campo_desconocido", "/datos", 10},
		{"repeated field", `{"id":"e","id":"e"}`, "clave_repetida", "/id", 10},
		{"repeated field of an address", `{"datos":{"domicilio":{"calle":"a","calle":"b"}}}`, "clave_repetida", "/datos/domicilio/calle", 35},
		{"invalid UTF-8", "{\"id\":\"a\xff\"}", "utf8", "/id", 8},
		{"half a surrogate", `{"id":"\ud800"}`, "utf8", "/id", 7},
		{"control character", "{\"id\":\"a\nb\"}", "sintaxis", "/id", 8},
		{"what is not for clients", `{"datos":{"ilegibles":[]}}`, "campo_desconocido", "/datos/ilegibles", 10},
		{"comment", `{"id":"e"/* */}`, "sintaxis", "", 9},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readEvento([]byte(tt.cuerpo))
			refusal, ok := errors.AsType[*errs.Error](err)
			if !ok || refusal.Motivo != errs.JSONInvalido || len(refusal.Fields) != 1 {
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
		if !ok || refusal.Motivo != errs.JSONInvalido || len(refusal.Fields) != 1 {
			t.Fatalf("error = %v", err)
		}
		if offset := refusal.Fields[0].Byte; offset < 0 || offset > int64(len(cuerpo)) {
			t.Errorf("byte %d of %d", offset, len(cuerpo))
		}
	})
}
