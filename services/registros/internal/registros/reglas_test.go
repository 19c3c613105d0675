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

func TestRules_windowOfEachPhase(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		activado     string
		desaparicion string
		desde, hasta string // phase 2
		continua     string // phase 3
	}{
		{"3: without a date there is no phase 2", "2026-06-15T18:00:00Z", "", "", "", "2026-06-15"},
		{"5: within twelve years", "2026-06-15T18:00:00Z", "2020-02-01", "2020-02-01", "2026-06-15", "2020-02-01"},
		{"5: exactly twelve years", "2026-06-15T18:00:00Z", "2014-06-15", "2014-06-15", "2026-06-15", "2014-06-15"},
		{"5: longer ago is cut", "2026-06-15T18:00:00Z", "2014-06-14", "2014-06-15", "2026-06-15", "2014-06-14"},
		{"5: 29 February minus twelve years is one", "2028-02-29T18:00:00Z", "2000-01-01", "2016-02-29", "2028-02-29", "2000-01-01"},
		{"5: the day is Mexico City's, before its midnight", "2026-06-16T05:59:59Z", "2000-01-01", "2014-06-15", "2026-06-15", "2000-01-01"},
		{"5: the day is Mexico City's, after its midnight", "2026-06-16T06:00:00Z", "2000-01-01", "2014-06-16", "2026-06-16", "2000-01-01"},
		{"7: without a date nothing before the activation", "2026-06-16T05:59:59Z", "", "", "", "2026-06-15"},
	}
	for _, tt := range tests {
		got := Reporte{ActivadoEn: instante(tt.activado), FechaDesaparicion: optionalDay(tt.desaparicion)}.Ventana()
		want := Ventana{
			HistoricaDesde: optionalDay(tt.desde), HistoricaHasta: optionalDay(tt.hasta), ContinuaDesde: optionalDay(tt.continua),
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, want)
		}
	}
}

func TestRule06_aDisappearanceInTheFutureLeavesAnEmptyWindow(t *testing.T) {
	t.Parallel()
	v := Reporte{ActivadoEn: instante("2026-06-15T18:00:00Z"), FechaDesaparicion: optionalDay("2026-06-16")}.Ventana()
	if !v.HistoricaHasta.Before(v.HistoricaDesde) {
		t.Errorf("window %+v is not empty", v)
	}
}

func TestRule12_whatARepeatedActivationBrings(t *testing.T) {
	t.Parallel()
	base := Reporte{FechaDesaparicion: optionalDay("2026-04-01"), Persona: Persona{CURP: "PEXA900115HDFRXN06", Nombre: "NOMBRE"}}
	tests := []struct {
		name              string
		before, repeated  Reporte
		changed, newDates bool
	}{
		{"the same", base, base, false, false},
		{"less", base, Reporte{Persona: Persona{CURP: base.Persona.CURP}}, false, false},
		{"the missing date", Reporte{}, Reporte{FechaDesaparicion: base.FechaDesaparicion}, true, true},
		{"another date", base, Reporte{FechaDesaparicion: optionalDay("2026-05-01")}, true, true},
		{"a telephone", base, Reporte{Persona: Persona{Telefono: "5555555555"}}, true, false},
	}
	for _, tt := range tests {
		got := tt.before
		changed, newDates := got.Complete(tt.repeated)
		if changed != tt.changed || newDates != tt.newDates {
			t.Errorf("%s: changed %t, new dates %t", tt.name, changed, newDates)
		}
		if got.Persona.CURP != tt.before.Persona.CURP || tt.before.Persona.Nombre != got.Persona.Nombre {
			t.Errorf("%s: took away what was known: %+v", tt.name, got)
		}
	}
}

// Phase 1 tells the newest value of each basic field, once, and never an event.
func TestRule02_basicData(t *testing.T) {
	t.Parallel()
	const curp = "PEXA900115HDFRXN06"
	regs := []Registro{ // newest first
		{Folio: "new", CURP: curp, TipoEvento: "Toma de muestra", FechaEvento: optionalDay("2026-06-14"), Telefono: "5555555555", Domicilio: Direccion{Calle: "DOS"}},
		{Folio: "old", CURP: curp, Nombre: "NOMBRE", Telefono: "4444444444", Domicilio: Direccion{Calle: "UNO", Numero: "1"}},
	}
	got, tells := DatosBasicos(regs, Persona{CURP: curp})
	want := Registro{Folio: "new", CURP: curp, Nombre: "NOMBRE", Telefono: "5555555555", Domicilio: Direccion{Calle: "DOS"}}
	if got != want || !tells {
		t.Errorf("told %t: %+v, want %+v", tells, got, want)
	}
	for name, known := range map[string]Persona{
		"all of it, written otherwise": {CURP: curp, Nombre: " nombre ", Telefono: "55 5555-5555", Domicilio: Direccion{Calle: "dos"}},
	} {
		if _, tells := DatosBasicos(regs, known); tells {
			t.Errorf("the platform knows %s, and is told again", name)
		}
	}
	if _, tells := DatosBasicos(nil, Persona{CURP: curp}); tells {
		t.Error("nothing was found, and is told")
	}
	fromCURP := []Registro{{Folio: "F", CURP: curp, SexoAsignado: "H", LugarNacimiento: "CDMX"}}
	if _, tells := DatosBasicos(fromCURP, Persona{CURP: curp}); tells {
		t.Error("what follows from the CURP is told")
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
		for field := range shape.Fields() {
			fields = append(fields, field.Name)
		}
		if !slices.Equal(fields, allowed) {
			t.Errorf("%s has the fields %v", shape, fields)
		}
	}
}
