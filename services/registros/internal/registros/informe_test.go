package registros

import (
	"slices"
	"strconv"
	"testing"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// allWrong breaks as many rules as a record can.
func allWrong(i int) Entrada {
	direccion := manual.Direccion{
		Direccion: "\x00", Calle: "\x00", Numero: "\x00", Colonia: "\x00", CodigoPostal: "x",
		MunicipioOAlcaldia: "\x00", EntidadFederativa: "\x00",
	}
	return Entrada{
		Folio: "A-" + strconv.Itoa(i), CURP: "x", TipoEvento: "\x00", FechaEvento: "x", DescripcionLugarEvento: "\x00",
		DireccionEvento: direccion, Nombre: "\x00", PrimerApellido: "\x00", SegundoApellido: "\x00", FechaNacimiento: "x",
		LugarNacimiento: "x", SexoAsignado: "x", Telefono: "x", Correo: "x", Domicilio: direccion,
	}
}

func TestValidateLote_summarises(t *testing.T) {
	t.Parallel()
	lote := validated([]Entrada{
		newEntrada(func(e *Entrada) { e.Folio, e.FechaEvento = "A", "ayer" }),
		newEntrada(func(e *Entrada) { e.Folio, e.FechaEvento, e.Domicilio.Calle = "B", "ayer", "N° 5" }),
		newEntrada(func(e *Entrada) { e.Folio, e.CURP, e.Domicilio.Calle = "C", "corta", "N° 5" }),
	}...)
	want := []Conteo{
		{GravedadError, CodigoFechaInvalida, "fecha_evento", 2},
		{GravedadAdvertencia, CodigoTextoNoAdmitido, "domicilio/calle", 2},
		{GravedadError, CodigoFormato, "curp", 1},
	}
	if !slices.Equal(lote.Resumen, want) {
		t.Errorf("the summary is %v, want %v", lote.Resumen, want)
	}
	if lote.Omitidas != 0 || len(lote.Observaciones) != 5 {
		t.Errorf("%d left out of %d", lote.Omitidas, len(lote.Observaciones))
	}
}

// Warnings first fill the answer, and then make room for the errors that come after them.
func TestValidateLote_errorsDriveWarningsOut(t *testing.T) {
	t.Parallel()
	const warned, wrong = errores.MaxObservaciones + 10, 20
	entradas := make([]Entrada, 0, warned+wrong)
	for i := range warned + wrong {
		entradas = append(entradas, newEntrada(func(e *Entrada) {
			e.Folio = "A-" + strconv.Itoa(i)
			if i < warned {
				e.Nombre = "NOMBRE 2"
				return
			}
			e.FechaEvento = "ayer"
		}))
	}
	lote := validated(entradas...)
	if len(lote.Observaciones) != errores.MaxObservaciones || lote.Omitidas != warned+wrong-errores.MaxObservaciones {
		t.Fatalf("%d told and %d left out", len(lote.Observaciones), lote.Omitidas)
	}
	for i, o := range lote.Observaciones {
		want := i
		if i >= errores.MaxObservaciones-wrong {
			want = warned + i - (errores.MaxObservaciones - wrong)
		}
		if o.Indice != want {
			t.Fatalf("observation %d is of the record %d, want %d", i, o.Indice, want)
		}
	}
	if got := lote.Resumen[0].Total + lote.Resumen[1].Total; got != warned+wrong {
		t.Errorf("the summary counts %d of %d", got, warned+wrong)
	}
}

// What finds no place is not made: the answer to a batch that is all wrong takes no more
// memory than its first records.
func TestValidateLote_countsWhatItDoesNotTell(t *testing.T) {
	cost := func(records int) float64 {
		entradas := make([]Entrada, records)
		for i := range entradas {
			entradas[i] = allWrong(i)
		}
		return testing.AllocsPerRun(1, func() { validated(entradas...) })
	}
	few, many := cost(500), cost(5000)
	if many > 3*few { // warnings that make room for errors were made in vain
		t.Errorf("%v allocations for 500 records that are all wrong, %v for 5000", few, many)
	}
}

func TestValidateLote_boundsTheNamesInTheSummary(t *testing.T) {
	t.Parallel()
	e := newEntrada()
	const names = maxDesconocidos + 50
	for i := range names {
		e.Ilegibles = append(e.Ilegibles, Ilegible{Campo: "ajeno_" + strconv.Itoa(i), Codigo: CodigoCampoDesconocido})
	}
	entradas := []Entrada{e, e}
	entradas[1].Ilegibles = slices.Clone(e.Ilegibles)
	for i := range entradas[1].Ilegibles {
		entradas[1].Ilegibles[i].Campo += "_mas"
	}
	entradas[1].Folio = "B"
	lote := validated(entradas...)
	if len(lote.Observaciones) != 2*names || lote.Rechazados != 2 {
		t.Errorf("%d observations and %d refused", len(lote.Observaciones), lote.Rechazados)
	}
	if len(lote.Resumen) != maxDesconocidos+1 || lote.Resumen[0].Campo != errores.OtrosCampos || lote.Resumen[0].Total != 2*names-maxDesconocidos {
		t.Errorf("%d lines in the summary, the first %+v", len(lote.Resumen), lote.Resumen[0])
	}
}

func TestValidateLote_countsWhatTheReaderNoLongerNotes(t *testing.T) {
	t.Parallel()
	e := newEntrada(func(e *Entrada) {
		e.Ilegibles = []Ilegible{{Campo: "edad", Codigo: CodigoCampoDesconocido, Omitidos: 7}, {Campo: "sexo", Codigo: CodigoTipoIncorrecto, Omitidos: -7}}
	})
	lote := validated(e)
	if len(lote.Observaciones) != 2 || lote.Omitidas != 7 || lote.Errores() != 9 || lote.Resumen[0] != (Conteo{Gravedad: GravedadError, Codigo: CodigoCampoDesconocido, Campo: "edad", Total: 8}) {
		t.Errorf("%d observations, %d omitted, summary %+v", len(lote.Observaciones), lote.Omitidas, lote.Resumen)
	}
}
