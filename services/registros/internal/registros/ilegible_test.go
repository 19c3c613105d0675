package registros

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestValidate_unreadableFields(t *testing.T) {
	t.Parallel()
	ilegible := func(campo string, codigo Codigo) func(*Entrada) {
		return func(e *Entrada) { e.Ilegibles = append(e.Ilegibles, Ilegible{Campo: campo, Codigo: codigo}) }
	}
	tests := []struct {
		name   string
		change func(*Entrada)
		want   []string
	}{
		{"unknown", ilegible("estudio", CodigoCampoDesconocido), []string{"campo_desconocido /registros/3/estudio"}},
		{"unknown in an address", ilegible("domicilio/pais", CodigoCampoDesconocido), []string{"campo_desconocido /registros/3/domicilio/pais"}},
		{"repeated", ilegible("nombre", CodigoCampoRepetido), []string{"campo_repetido /registros/3/nombre"}},
		{"of another type", ilegible("domicilio", CodigoTipoIncorrecto), []string{"tipo_incorrecto /registros/3/domicilio"}},
		{"required, of another type", func(e *Entrada) {
			ilegible("curp", CodigoTipoIncorrecto)(e)
			e.CURP = ""
		}, []string{"tipo_incorrecto /registros/3/curp"}},
		{"required, repeated and empty", func(e *Entrada) {
			ilegible("curp", CodigoCampoRepetido)(e)
			e.CURP = ""
		}, []string{"campo_repetido /registros/3/curp", "requerido /registros/3/curp"}},
		{"not UTF-8", ilegible("nombre", CodigoUTF8), []string{"campo_descartado /registros/3/nombre"}},
		{"not UTF-8 in an address", ilegible("domicilio/calle", CodigoUTF8), []string{"campo_descartado /registros/3/domicilio/calle"}},
		{"required, not UTF-8", func(e *Entrada) {
			ilegible("tipo_evento", CodigoUTF8)(e)
			e.TipoEvento = ""
		}, []string{"utf8 /registros/3/tipo_evento"}},
		{"no record at all", func(e *Entrada) {
			*e = Entrada{Ilegibles: []Ilegible{{Codigo: CodigoTipoIncorrecto}}}
		}, []string{"tipo_incorrecto /registros/3"}},
		{"not UTF-8, and not said where", func(e *Entrada) {
			*e = Entrada{Folio: "A", CURP: curpPrueba, FechaEvento: "2026-05-01", Ilegibles: []Ilegible{{Codigo: CodigoUTF8}}}
		}, []string{"utf8 /registros/3"}},
		{"with a reason of its own", ilegible("nombre", "porque_si"), []string{"tipo_incorrecto /registros/3/nombre"}},
		{"together with what is wrong besides", func(e *Entrada) {
			ilegible("b", CodigoCampoDesconocido)(e)
			ilegible("a", CodigoCampoDesconocido)(e)
			e.FechaEvento = ""
		}, []string{"campo_desconocido /registros/3/b", "campo_desconocido /registros/3/a", "requerido /registros/3/fecha_evento"}},
	}
	for _, tt := range tests {
		e := newEntrada(tt.change)
		r, observaciones := validateOne(3, &e, hoy)
		if got := observed(observaciones); !slices.Equal(got, tt.want) {
			t.Errorf("%s: observed %q, want %q", tt.name, got, tt.want)
		}
		checkObservaciones(t, 3, r, observaciones)
	}
}

// The same field left out for two reasons is one row of the summary.
func TestValidate_unreadableInAnAddressCountsWithTheRest(t *testing.T) {
	t.Parallel()
	one := newEntrada(func(e *Entrada) { e.Folio, e.Domicilio.Calle = "A", strings.Repeat("x", 51) })
	two := newEntrada(func(e *Entrada) {
		e.Folio, e.Ilegibles = "B", []Ilegible{{Campo: "domicilio/calle", Codigo: CodigoUTF8, Omitidos: 2}}
	})
	lote := validated(one, two)
	want := []Conteo{{Gravedad: GravedadAdvertencia, Codigo: CodigoCampoDescartado, Campo: "domicilio/calle", Total: 4}}
	if !slices.Equal(lote.Resumen, want) || len(lote.Validos) != 2 {
		t.Errorf("got %+v and %d admitted, want %+v and 2", lote.Resumen, len(lote.Validos), want)
	}
}

// Whoever calls over gRPC makes the names up without the gateway's care.
func TestValidate_unreadableNamesAreBounded(t *testing.T) {
	t.Parallel()
	e := newEntrada(func(e *Entrada) {
		name := "\x00\xff" + strings.Repeat("ñ", 1000)
		for range 200 {
			e.Ilegibles = append(e.Ilegibles, Ilegible{Campo: name, Codigo: CodigoCampoDesconocido})
		}
	})
	_, observaciones := validateOne(0, &e, hoy)
	if len(observaciones) != 200 {
		t.Fatalf("%d observations, want 200", len(observaciones))
	}
	for _, o := range observaciones {
		name := strings.TrimPrefix(o.Puntero, "/registros/0/")
		if !utf8.ValidString(name) || strings.Contains(name, "\x00") || utf8.RuneCountInString(name) != maxNombreAjeno {
			t.Fatalf("the name became %q", name)
		}
	}
}
