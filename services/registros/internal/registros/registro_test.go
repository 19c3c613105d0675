package registros

import (
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
	direccion := EntradaDireccion{
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

// entradaOf writes a Registro as an institution would send it.
func entradaOf(r *Registro) Entrada {
	return Entrada{
		Folio: string(r.Folio), CURP: r.CURP, TipoEvento: r.TipoEvento, FechaEvento: r.FechaEvento.String(),
		DescripcionLugarEvento: r.DescripcionLugarEvento, DireccionEvento: EntradaDireccion(r.DireccionEvento),
		Nombre: r.Nombre, PrimerApellido: r.PrimerApellido, SegundoApellido: r.SegundoApellido,
		FechaNacimiento: r.FechaNacimiento.String(), LugarNacimiento: string(r.LugarNacimiento),
		SexoAsignado: string(r.SexoAsignado), Telefono: r.Telefono, Correo: r.Correo,
		Domicilio: EntradaDireccion(r.Domicilio),
	}
}

func TestRegistro_efectivos(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		r     Registro
		lugar manual.Lugar
		sexo  manual.Sexo
	}{
		{"from the CURP", Registro{CURP: curpDePrueba}, "CDMX", manual.SexoHombre},
		{"stored against the CURP, as it once was", Registro{CURP: curpDePrueba, LugarNacimiento: "PUEBLA", SexoAsignado: manual.SexoOtro}, "CDMX", manual.SexoHombre},
		{"stored as unknown", Registro{CURP: curpDePrueba, LugarNacimiento: manual.LugarDesconocido}, "CDMX", manual.SexoHombre},
		{"given, the CURP tells nothing", Registro{CURP: "SA06EIMBDR5OVM72NY", LugarNacimiento: "PUEBLA", SexoAsignado: manual.SexoOtro}, "PUEBLA", manual.SexoOtro},
		{"wrong check digit", Registro{CURP: "XEXX010101HNEXXXA0"}, manual.LugarForaneo, manual.SexoHombre},
		{"the CURP tells nothing", Registro{CURP: "SA06EIMBDR5OVM72NY"}, manual.LugarDesconocido, ""},
	}
	for _, tt := range tests {
		if got := tt.r.LugarNacimientoEfectivo(); got != tt.lugar {
			t.Errorf("%s: place %q, want %q", tt.name, got, tt.lugar)
		}
		if got := tt.r.SexoAsignadoEfectivo(); got != tt.sexo {
			t.Errorf("%s: sex %q, want %q", tt.name, got, tt.sexo)
		}
	}
}
