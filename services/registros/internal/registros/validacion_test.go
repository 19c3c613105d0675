package registros

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/salud"
)

// observed is what a test expects of an Observacion: "codigo puntero".
func observed(observaciones []Observacion) []string {
	var got []string
	for _, o := range observaciones {
		got = append(got, string(o.Codigo)+" "+o.Puntero)
	}
	return got
}

func TestValidate_complete(t *testing.T) {
	t.Parallel()
	e := newEntradaCompleta()
	r, observaciones := validateOne(0, &e, hoy)
	if observaciones != nil {
		t.Fatalf("a right record was observed: %v", observed(observaciones))
	}
	if again := entradaOf(&r); !reflect.DeepEqual(again, e) {
		t.Errorf("stored as %+v, want %+v", again, e)
	}
	if want := manual.MustParseFecha("2026-11-20"); r.FechaEvento != want {
		t.Errorf("fecha_evento %v, want %v", r.FechaEvento, want)
	}
}

func TestValidate_minimal(t *testing.T) {
	t.Parallel()
	e := newEntrada()
	r, observaciones := validateOne(0, &e, hoy)
	if observaciones != nil {
		t.Fatalf("a right record was observed: %v", observed(observaciones))
	}
	if !r.Domicilio.IsZero() || !r.DireccionEvento.IsZero() || r.LugarNacimiento != "" || r.SexoAsignado != "" {
		t.Errorf("something was stored that was not given: %+v", r)
	}
}

func TestValidate_blankMeansNotGiven(t *testing.T) {
	t.Parallel()
	for _, nada := range []string{
		" ", "\t", "\u2003", "N/A", "n/a", "NA", "S/D", "Sin dato", "SIN DATOS", "sín datos", "no tiene", "No aplica", "NULL", "-", ".", "0000-00-00",
		"0000-00-00 00:00:00",
	} {
		direccion := manual.Direccion{
			Direccion: nada, Calle: nada, Numero: nada, Colonia: nada, CodigoPostal: nada, MunicipioOAlcaldia: nada, EntidadFederativa: nada,
		}
		e := newEntrada(func(e *Entrada) {
			e.Nombre, e.PrimerApellido, e.SegundoApellido, e.FechaNacimiento = nada, nada, nada, nada
			e.LugarNacimiento, e.SexoAsignado, e.Telefono, e.Correo = nada, nada, nada, nada
			e.DireccionEvento, e.Domicilio = direccion, direccion
		})
		minima := newEntrada()
		want, _ := validateOne(0, &minima, hoy)
		got, observaciones := validateOne(0, &e, hoy)
		if got != want || observaciones != nil {
			t.Errorf("%q gave %+v, %v", nada, got, observed(observaciones))
		}
	}
}

// The words for nothing are looked for in optional fields alone, and as the whole of them.
func TestValidate_whatOnlyLooksLikeNothing(t *testing.T) {
	t.Parallel()
	e := newEntrada(func(e *Entrada) {
		e.Folio, e.TipoEvento, e.PrimerApellido, e.Domicilio.Calle = "-", "N/A", "NAVA", "Sin Datos Norte"
		e.Nombre, e.Domicilio.Colonia, e.Domicilio.Numero, e.Domicilio.Direccion = "S/N", "s/n", "S/N", "s/n"
	})
	r, observaciones := validateOne(0, &e, hoy)
	want := manual.Direccion{Calle: "Sin Datos Norte", Numero: "S/N", Direccion: "s/n"}
	if observaciones != nil || r.Folio != "-" || r.TipoEvento != "N/A" || r.PrimerApellido != "NAVA" || r.Nombre != "" || r.Domicilio != want {
		t.Errorf("got %+v, %v", r, observed(observaciones))
	}
}

// A warning is true: it says what is kept, what is told, and by which rule.
func TestValidate_wordsOfTheWarnings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		change func(*Entrada)
		want   []string
	}{
		{func(e *Entrada) { e.Telefono = "1" }, []string{"de 8 a 15 dígitos", "se guarda sin este campo"}},
		{func(e *Entrada) { e.Nombre = strings.Repeat("x", 51) }, []string{"máximo 50 caracteres", "se guarda sin este campo"}},
		{func(e *Entrada) { e.Nombre = "A\x00" }, []string{"caracteres de control", "se guarda sin este campo"}},
		{func(e *Entrada) { e.SexoAsignado = "M" }, []string{"no coincide con la CURP", "se guarda sin este campo"}},
		{func(e *Entrada) { e.Nombre = "JUAN 2" }, []string{"equivalentes", "hasta 50 caracteres"}},
		{func(e *Entrada) { e.Nombre = "日本" }, []string{"se guarda como está y no se incluye en la notificación"}},
		{func(e *Entrada) { e.TipoEvento = "日本" }, []string{"se notifica como «Atención administrativa»"}},
		{func(e *Entrada) { e.DescripcionLugarEvento = "" }, []string{"se notifica sin lugar"}},
		{func(e *Entrada) {
			e.DescripcionLugarEvento, e.DireccionEvento.Calle = "Clínica de VIH", "Calle 5"
		}, []string{"escriba solo el lugar", "se guarda sin esas palabras"}},
		{func(e *Entrada) { e.Domicilio.Calle = "VIH" }, []string{"escriba solo el lugar", "se guarda sin este campo"}},
		{func(e *Entrada) { e.TipoEvento = "Prueba de VIH" }, []string{"«Toma de muestra»", "se guarda, y se notifica como «Atención administrativa»"}},
	}
	for _, tt := range tests {
		e := newEntrada(tt.change)
		_, observaciones := validateOne(0, &e, hoy)
		if len(observaciones) != 1 || observaciones[0].Gravedad != GravedadAdvertencia {
			t.Fatalf("observed %v", observed(observaciones))
		}
		for _, words := range tt.want {
			if !strings.Contains(observaciones[0].Mensaje, words) {
				t.Errorf("%s lacks %q", observaciones[0].Mensaje, words)
			}
		}
	}
}

func TestValidate_keepsNothingAgainstTheCURP(t *testing.T) {
	t.Parallel()
	e := newEntrada(func(e *Entrada) { e.SexoAsignado, e.LugarNacimiento = "MUJER", "Distrito Federal" })
	r, observaciones := validateOne(0, &e, hoy)
	if r.SexoAsignado != "" || r.SexoEfectivo() != "H" || r.LugarNacimiento != "CDMX" {
		t.Errorf("kept %q and %q, told %q", r.SexoAsignado, r.LugarNacimiento, r.SexoEfectivo())
	}
	if got := observed(observaciones); !slices.Equal(got, []string{"no_coincide_con_curp /registros/0/sexo_asignado"}) {
		t.Errorf("observed %q", got)
	}
}

func TestValidate_normalises(t *testing.T) {
	t.Parallel()
	e := newEntrada(func(e *Entrada) {
		e.Folio = "  A-1 "
		e.CURP = " pexa900115hdfrxn06\r\n"
		e.TipoEvento = "Recoleccio\u0301n"
		e.FechaEvento = " 2026-11-20 "
		e.Nombre = " NIN\u0303O "
		e.LugarNacimiento = " cdmx "
		e.SexoAsignado = "h"
		e.Telefono = "+52 (55) 1234-5678"
		e.Correo = " usuario@ejemplo.mx "
		e.Domicilio.CodigoPostal = " 1000 "
	})
	r, observaciones := validateOne(0, &e, hoy)
	if observaciones != nil {
		t.Fatalf("observed %v", observed(observaciones))
	}
	want := Registro{
		Folio:                  "A-1",
		TipoEvento:             "Recolección",
		FechaEvento:            manual.MustParseFecha("2026-11-20"),
		DescripcionLugarEvento: "Sucursal Centro",
		Persona: manual.Persona{
			CURP:            curpDePrueba,
			Nombre:          "NIÑO",
			LugarNacimiento: "CDMX",
			SexoAsignado:    manual.SexoHombre,
			Telefono:        "525512345678",
			Correo:          "usuario@ejemplo.mx",
			Domicilio:       manual.Direccion{CodigoPostal: "01000"},
		},
	}
	if r != want {
		t.Errorf("got %+v, want %+v", r, want)
	}
}

func TestValidate_tellsAllAtOnce(t *testing.T) {
	t.Parallel()
	e := Entrada{
		Nombre: strings.Repeat("x", 51), SexoAsignado: "MASC", Telefono: "1", Correo: "x", LugarNacimiento: "MARTE",
		Domicilio: manual.Direccion{CodigoPostal: "x"},
	}
	_, observaciones := validateOne(0, &e, hoy)
	want := []string{
		"requerido /registros/0/folio", "requerido /registros/0/curp", "requerido /registros/0/tipo_evento",
		"requerido /registros/0/fecha_evento", "sin_lugar /registros/0/descripcion_lugar_evento", "campo_descartado /registros/0/nombre", "campo_descartado /registros/0/lugar_nacimiento",
		"campo_descartado /registros/0/sexo_asignado", "campo_descartado /registros/0/telefono", "campo_descartado /registros/0/correo",
		"campo_descartado /registros/0/domicilio/codigo_postal",
	}
	if got := observed(observaciones); !slices.Equal(got, want) {
		t.Errorf("observed %q, want %q", got, want)
	}
}

func TestValidate_folioOfObservations(t *testing.T) {
	t.Parallel()
	e := newEntrada(func(e *Entrada) { e.Folio, e.SexoAsignado = " A-9 ", "MASC" })
	_, observaciones := validateOne(0, &e, hoy)
	if len(observaciones) != 1 || observaciones[0].Folio != "A-9" {
		t.Errorf("observed %+v, want the folio A-9", observaciones)
	}
	e.Folio = strings.Repeat("x", 65)
	_, observaciones = validateOne(0, &e, hoy)
	for _, o := range observaciones {
		if o.Folio != "" {
			t.Errorf("an invalid folio was repeated in %s", o.Codigo)
		}
	}
}

// A message is made of the rule alone, so it is the same whatever the value.
func TestValidate_messagesHoldNoValue(t *testing.T) {
	t.Parallel()
	const secreto = "QWXYZ"
	direccion := manual.Direccion{
		Direccion: secreto + "\n" + secreto, Calle: secreto + "°", Numero: secreto + "°", Colonia: secreto + "°", CodigoPostal: secreto,
		MunicipioOAlcaldia: secreto + "°", EntidadFederativa: strings.Repeat(secreto, 20),
	}
	e := Entrada{
		Folio: secreto, CURP: secreto, TipoEvento: secreto + "°", FechaEvento: secreto, DescripcionLugarEvento: secreto + "°",
		Nombre: secreto + "1", PrimerApellido: strings.Repeat(secreto, 20), SegundoApellido: secreto + "\x00" + secreto,
		FechaNacimiento: secreto, LugarNacimiento: secreto, SexoAsignado: secreto, Telefono: secreto, Correo: secreto,
		DireccionEvento: direccion, Domicilio: direccion,
	}
	entradas := []Entrada{e, e}
	lote := validated(entradas...)
	if len(lote.Observaciones) < 2*25 {
		t.Errorf("only %d observations, some field went unobserved", len(lote.Observaciones))
	}
	for _, o := range lote.Observaciones {
		if strings.Contains(o.Mensaje, secreto) || strings.Contains(o.Puntero, secreto) {
			t.Errorf("%s of %s repeats the value: %s", o.Codigo, o.Puntero, o.Mensaje)
		}
	}
}

// reporter is a *testing.T or a *rapid.T.
type reporter interface {
	Errorf(format string, args ...any)
}

// checkObservaciones holds for the verdict on any record.
func checkObservaciones(t reporter, indice int, r Registro, observaciones []Observacion) {
	refused := false
	for _, o := range observaciones {
		refused = refused || o.Gravedad == GravedadError
		if o.Indice != indice || o.Mensaje == "" || !utf8.ValidString(string(o.Folio)) {
			t.Errorf("a strange observation: %+v", o)
		}
		if !strings.HasPrefix(o.Puntero, "/registros/") {
			t.Errorf("a pointer to nowhere: %q", o.Puntero)
		}
	}
	if refused != (r == Registro{}) {
		t.Errorf("refused is %v, yet the record is %+v", refused, r)
	}
}

// The gate takes the text, and neither the record nor a word more than it must: what is kept of
// an act is neutral, the same for each, so that the same record sent again is the same.
func TestValidate_healthDataCostsNoRecord(t *testing.T) {
	t.Parallel()
	e := newEntrada(func(e *Entrada) {
		e.TipoEvento, e.DescripcionLugarEvento = "Prueba de VIH: positivo", "Clínica de VIH, planta 2"
		e.DireccionEvento = manual.Direccion{Calle: "Pabellón de VIH", Numero: "5", Colonia: "SIDA"}
	})
	r, observaciones := validateOne(0, &e, hoy)
	if r.TipoEvento != manual.TipoEventoNeutro || r.DescripcionLugarEvento != "Clínica, planta 2" ||
		r.DireccionEvento != (manual.Direccion{Calle: "Pabellón", Numero: "5"}) {
		t.Errorf("kept %q at %q, %+v", r.TipoEvento, r.DescripcionLugarEvento, r.DireccionEvento)
	}
	for _, o := range observaciones {
		if o.Codigo != CodigoDatoDeSalud || o.Gravedad != GravedadAdvertencia || strings.Contains(strings.ToLower(o.Mensaje), "vih") {
			t.Errorf("observed %+v", o)
		}
	}
	if len(observaciones) != 4 {
		t.Errorf("observed %q, want four", observed(observaciones))
	}
	e.TipoEvento = "Quimioterapia"
	other, _ := validateOne(0, &e, hoy)
	if other.Huella() != r.Huella() {
		t.Error("two acts that are not kept make two records")
	}
	if !manual.IsTexto(manual.TipoEventoNeutro, manual.MaxTipoEvento) || salud.InActo(manual.TipoEventoNeutro) {
		t.Errorf("%q cannot be told", manual.TipoEventoNeutro)
	}
}
