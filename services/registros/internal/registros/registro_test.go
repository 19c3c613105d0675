package registros

import (
	"reflect"
	"slices"
	"testing"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

var hoy = manual.MustParseFecha("2026-11-21")

// The CURP of every sample: a man born in Mexico City on 1990-01-15 (pui.md 2.2).
const curpDePrueba = "PEXA900115HDFRXN06"

// validateOne gives the verdict on a record at its place in a batch, without the others.
func validateOne(indice int, e *Entrada, hoy manual.Fecha) (Registro, []Observacion) {
	v := newValidador(hoy, 1)
	var r Registro
	if !v.validate(indice, e, &r) {
		r = Registro{}
	}
	return r, v.informe.observaciones()
}

// newEntrada is the smallest record without any observation, changed as asked.
func newEntrada(changes ...func(*Entrada)) Entrada {
	e := Entrada{
		Folio: "A-1", CURP: curpDePrueba, TipoEvento: "Toma de muestra", FechaEvento: "2026-11-20",
		DescripcionLugarEvento: "Sucursal Centro",
	}
	for _, change := range changes {
		change(&e)
	}
	return e
}

// newEntradaCompleta has every field, and no observation either.
func newEntradaCompleta(changes ...func(*Entrada)) Entrada {
	direccion := manual.Direccion{
		Direccion: "Avenida Revolución 1234, Álvaro Obregón", Calle: "Avenida Revolución", Numero: "1234-B",
		Colonia: "San Ángel", CodigoPostal: "01000", MunicipioOAlcaldia: "Álvaro Obregón", EntidadFederativa: "Ciudad de México",
	}
	e := newEntrada(func(e *Entrada) {
		e.DescripcionLugarEvento = "Sucursal Centro, planta baja"
		e.DireccionEvento = direccion
		e.Nombre, e.PrimerApellido, e.SegundoApellido = "NOMBRE", "PRIMER APELLIDO", "SEGUNDO APELLIDO"
		e.FechaNacimiento, e.LugarNacimiento, e.SexoAsignado = "1990-01-15", "CDMX", "H"
		e.Telefono, e.Correo = "5512345678", "usuario@ejemplo.mx"
		e.Domicilio = direccion
	})
	for _, change := range changes {
		change(&e)
	}
	return e
}

// What these tests call complete has every field, one that is new too, on the way out and back.
func TestNewEntradaCompleta(t *testing.T) {
	t.Parallel()
	completa := newEntradaCompleta()
	r, _ := validateOne(0, &completa, hoy)
	for name, entrada := range map[string]Entrada{"made": completa, "validated and written again": entradaOf(&r)} {
		v := reflect.ValueOf(entrada)
		for i := range v.NumField() {
			if v.Type().Field(i).Type != reflect.TypeFor[[]Ilegible]() && v.Field(i).IsZero() {
				t.Errorf("%s: %s is empty", name, v.Type().Field(i).Name)
			}
		}
	}
}

// entradaOf writes a Registro as an institution would send it.
func entradaOf(r *Registro) Entrada {
	return Entrada{
		Folio: string(r.Folio), CURP: r.CURP, TipoEvento: r.TipoEvento, FechaEvento: r.FechaEvento.String(),
		DescripcionLugarEvento: r.DescripcionLugarEvento, DireccionEvento: r.DireccionEvento,
		Nombre: r.Nombre, PrimerApellido: r.PrimerApellido, SegundoApellido: r.SegundoApellido,
		FechaNacimiento: r.FechaNacimiento.String(), LugarNacimiento: string(r.LugarNacimiento),
		SexoAsignado: string(r.SexoAsignado), Telefono: r.Telefono, Correo: r.Correo,
		Domicilio: r.Domicilio,
	}
}

// validated is the verdict on records of an institution without a site.
func validated(entradas ...Entrada) Lote {
	return ValidateLote(slices.Values(entradas), len(entradas), hoy, false)
}

// Every field but the folio is told: who takes one away changes what is told. What the CURP
// says anyway, or the platform's alphabet lacks, is no change.
func TestRegistro_Notificable(t *testing.T) {
	t.Parallel()
	completa := newEntradaCompleta(func(e *Entrada) { e.CURP = "SA06EIMBDR5OVM72NY" }) // it tells neither sex nor place
	r, _ := validateOne(0, &completa, hoy)
	told := r.Notificable()
	withoutEach(reflect.ValueOf(&r).Elem(), "", func(name string) {
		if same := r.Notificable() == told; same != (name == ".Folio") {
			t.Errorf("without %s it is told the same: %t", name, same)
		}
	})

	r.CURP = curpDePrueba
	told = r.Notificable()
	r.Folio, r.SexoAsignado, r.LugarNacimiento = "B-1", "", ""
	r.Nombre, r.TipoEvento, r.DireccionEvento.Numero = r.Nombre+"§", r.TipoEvento+" §", r.DireccionEvento.Numero+"\u200b"
	if got := r.Notificable(); got != told {
		t.Errorf("got %+v, want %+v", got, told)
	}
}

// withoutEach empties one field after the other, those of its structs too, and puts it back.
func withoutEach(v reflect.Value, name string, check func(name string)) {
	if v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[manual.Fecha]() {
		for i := range v.NumField() {
			withoutEach(v.Field(i), name+"."+v.Type().Field(i).Name, check)
		}
		return
	}
	whole := reflect.ValueOf(v.Interface())
	v.SetZero()
	check(name)
	v.Set(whole)
}
