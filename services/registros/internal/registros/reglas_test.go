package registros

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// The numbers are those of the rules in pui.md 3.2. Here are the ones that need no storage;
// the others are beside what keeps them, in files of the same name.

func instante(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

func optionalDay(text string) manual.Fecha {
	if text == "" {
		return manual.Fecha{}
	}
	return manual.MustParseFecha(text)
}

func TestRule12_whatARepeatedActivationBrings(t *testing.T) {
	t.Parallel()
	before, repeated := instante("2026-06-10T06:00:00Z"), instante("2026-06-15T18:00:00Z")
	base := Reporte{ActivadoEn: before, FechaDesaparicion: optionalDay("2026-04-01"), Persona: manual.Persona{CURP: "PEXA900115HDFRXN06", Nombre: "NOMBRE"}}
	tests := []struct {
		name              string
		before, repeated  Reporte
		changed, newDates bool
	}{
		{"the same", base, base, false, false},
		{"less", base, Reporte{Persona: manual.Persona{CURP: base.Persona.CURP}}, false, false},
		{"the missing date", Reporte{}, Reporte{FechaDesaparicion: base.FechaDesaparicion}, true, true},
		{"another date", base, Reporte{FechaDesaparicion: optionalDay("2026-05-01")}, true, true},
		{"a telephone", base, Reporte{Persona: manual.Persona{Telefono: "5555555555"}}, true, false},
	}
	for _, tt := range tests {
		got := tt.before
		got.ActivadoEn, tt.repeated.ActivadoEn = before, repeated
		changed, newDates := got.Complete(tt.repeated)
		if changed != tt.changed || newDates != tt.newDates {
			t.Errorf("%s: changed %t, new dates %t", tt.name, changed, newDates)
		}
		if moved := got.ActivadoEn.Equal(repeated); moved != tt.newDates {
			t.Errorf("%s: counted from %v, new dates %t", tt.name, got.ActivadoEn, newDates)
		}
		if got.Persona.CURP != tt.before.Persona.CURP || tt.before.Persona.Nombre != got.Persona.Nombre {
			t.Errorf("%s: took away what was known: %+v", tt.name, got)
		}
	}
}

// What is not held cannot be told: a Registro has a place for an administrative act and for
// the person, and none for a study, its result or a diagnosis. A new field fails this test,
// so that whoever adds it thinks of the rule.
func TestRule18_noPlaceForHealthData(t *testing.T) {
	t.Parallel()
	allowed := []string{
		"Folio", "CURP", "TipoEvento", "FechaEvento", "DescripcionLugarEvento", "DireccionEvento", "Nombre", "PrimerApellido",
		"SegundoApellido", "FechaNacimiento", "LugarNacimiento", "SexoAsignado", "Telefono", "Correo", "Domicilio",
	}
	for _, shape := range []reflect.Type{reflect.TypeFor[Registro](), reflect.TypeFor[Entrada]()} {
		var fields []string
		for _, field := range reflect.VisibleFields(shape) {
			if !field.Anonymous && field.Type != reflect.TypeFor[[]Ilegible]() { // names of fields, never a value
				fields = append(fields, field.Name)
			}
		}
		slices.Sort(fields)
		if !slices.Equal(fields, slices.Sorted(slices.Values(allowed))) {
			t.Errorf("%s has the fields %v", shape, fields)
		}
	}
}
