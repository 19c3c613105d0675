package registros

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

func TestValidateLote_eachOnItsOwnMerits(t *testing.T) {
	t.Parallel()
	lote := validated([]Entrada{
		newEntrada(func(e *Entrada) { e.Folio = "A" }),
		newEntrada(func(e *Entrada) { e.Folio, e.FechaEvento, e.SexoAsignado = "B", "ayer", "M" }),
		newEntrada(func(e *Entrada) { e.Folio, e.SexoAsignado = "C", "M" }),
		{},
		newEntrada(func(e *Entrada) { e.Folio = "D" }),
	}...)

	var indices []int
	for _, v := range lote.Validos {
		indices = append(indices, v.Indice)
		if want := Folio("ABCXD"[v.Indice : v.Indice+1]); v.Registro.Folio != want {
			t.Errorf("record %d has folio %q, want %q", v.Indice, v.Registro.Folio, want)
		}
	}
	if want := []int{0, 2, 4}; !slices.Equal(indices, want) {
		t.Errorf("admitted %v, want %v", indices, want)
	}
	if lote.Rechazados != 2 {
		t.Errorf("%d refused, want 2", lote.Rechazados)
	}
	want := []string{
		"fecha_invalida /registros/1/fecha_evento", "no_coincide_con_curp /registros/1/sexo_asignado", "no_coincide_con_curp /registros/2/sexo_asignado",
		"requerido /registros/3/folio", "requerido /registros/3/curp", "requerido /registros/3/tipo_evento",
		"requerido /registros/3/fecha_evento", "sin_lugar /registros/3/descripcion_lugar_evento",
	}
	if got := observed(lote.Observaciones); !slices.Equal(got, want) {
		t.Errorf("observed %q, want %q", got, want)
	}
}

func TestValidateLote_empty(t *testing.T) {
	t.Parallel()
	lote := validated()
	if len(lote.Validos) != 0 || len(lote.Observaciones) != 0 || lote.Rechazados != 0 {
		t.Errorf("an empty batch gave %+v", lote)
	}
}

func TestValidateLote_repeatedFolio(t *testing.T) {
	t.Parallel()
	lote := validated([]Entrada{
		newEntrada(func(e *Entrada) { e.Folio = "X" }),
		newEntrada(func(e *Entrada) { e.Folio, e.CURP = "\u00c9", "corta" }),    // refused, and still the first É
		newEntrada(func(e *Entrada) { e.Folio, e.FechaEvento = " X ", "ayer" }), // told together with its other errors
		newEntrada(func(e *Entrada) { e.Folio = "E\u0301" }),
		newEntrada(func(e *Entrada) { e.Folio = "x" }), // another folio
		newEntrada(func(e *Entrada) { e.Folio = "X" }), // names the first, not the second
	}...)

	want := []string{
		"formato /registros/1/curp", "folio_repetido /registros/2/folio", "fecha_invalida /registros/2/fecha_evento",
		"folio_repetido /registros/3/folio", "folio_repetido /registros/5/folio",
	}
	if got := observed(lote.Observaciones); !slices.Equal(got, want) {
		t.Fatalf("observed %q, want %q", got, want)
	}
	for i, primero := range map[int]string{1: "índice 0:", 3: "índice 1:", 4: "índice 0:"} {
		if o := lote.Observaciones[i]; !strings.Contains(o.Mensaje, primero) {
			t.Errorf("the message of record %d does not name %q: %s", o.Indice, primero, o.Mensaje)
		}
	}
	if lote.Rechazados != 4 || len(lote.Validos) != 2 {
		t.Errorf("%d admitted and %d refused, want 2 and 4", len(lote.Validos), lote.Rechazados)
	}
}

// Folios that are missing or invalid repeat nothing.
func TestValidateLote_invalidFoliosDoNotRepeat(t *testing.T) {
	t.Parallel()
	largo := strings.Repeat("x", 65)
	for _, folio := range []string{"", " ", largo, "a\x00"} {
		sinFolio := newEntrada(func(e *Entrada) { e.Folio = folio })
		lote := validated(sinFolio, sinFolio)
		for _, o := range lote.Observaciones {
			if o.Codigo == CodigoFolioRepetido {
				t.Errorf("the folio %q counts as repeated", folio)
			}
		}
	}
}

// loteCompleto is a batch of full records with distinct folios.
func loteCompleto(n int) []Entrada {
	entradas := make([]Entrada, n)
	for i := range entradas {
		entradas[i] = newEntradaCompleta(func(e *Entrada) { e.Folio = "LAB-2026-" + strconv.Itoa(i) })
	}
	return entradas
}

func BenchmarkValidateLote(b *testing.B) {
	entradas := loteCompleto(5000)
	b.ReportAllocs()
	for b.Loop() {
		if lote := validated(entradas...); lote.Rechazados != 0 {
			b.Fatal("a right record was refused")
		}
	}
}

// Each record has an act and addresses of its own, so that no text was looked at before.
func BenchmarkValidateLote_distinctTexts(b *testing.B) {
	entradas := loteCompleto(5000)
	for i := range entradas {
		e, n := &entradas[i], strconv.Itoa(i)
		e.TipoEvento = "Toma de muestra " + n
		for _, d := range []*manual.Direccion{&e.DireccionEvento, &e.Domicilio} {
			d.Direccion, d.Calle, d.Numero = d.Direccion+" "+n, d.Calle+" "+n, n
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if lote := validated(entradas...); lote.Rechazados != 0 {
			b.Fatal("a right record was refused")
		}
	}
}

func BenchmarkValidateLote_allRefused(b *testing.B) {
	entradas := make([]Entrada, 5000)
	b.ReportAllocs()
	for b.Loop() {
		if lote := validated(entradas...); lote.Rechazados != len(entradas) {
			b.Fatal("an empty record was admitted")
		}
	}
}

// An event without a place is told with the institution's own site, and is no doubt then.
func TestValidateLote_theInstitutionsOwnSite(t *testing.T) {
	entrada := Entrada{Folio: "A", CURP: "PEXA900115HDFRXN06", TipoEvento: "Toma de muestra", FechaEvento: "2024-01-01"}
	for tieneSitio, want := range map[bool]int{false: 1, true: 0} {
		lote := ValidateLote(slices.Values([]Entrada{entrada}), 1, hoy, tieneSitio)
		got := 0
		for _, o := range lote.Observaciones {
			if o.Codigo == CodigoSinLugar {
				got++
			}
		}
		if got != want || len(lote.Validos) != 1 {
			t.Errorf("with a site %v: %d warnings, %d admitted", tieneSitio, got, len(lote.Validos))
		}
	}
}
