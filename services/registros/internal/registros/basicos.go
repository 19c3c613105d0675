package registros

import (
	"cmp"
	"strings"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// Basicos gathers what phase 1 tells of a person: of each basic field the newest given value
// among the Registros, an address as a whole. Registros come in any order and in as many
// portions as memory asks for; in between it is stored. The zero Basicos has seen none.
type Basicos struct {
	// Folio is the newest Registro's.
	Folio           Dato[Folio]
	Nombre          Dato[string]
	PrimerApellido  Dato[string]
	SegundoApellido Dato[string]
	FechaNacimiento Dato[manual.Fecha]
	LugarNacimiento Dato[manual.Lugar]
	SexoAsignado    Dato[manual.Sexo]
	Telefono        Dato[string]
	Correo          Dato[string]
	Domicilio       Dato[manual.Direccion]
}

// Dato is a value and when it was given: by the day of the event, then by arrival.
type Dato[T comparable] struct {
	Valor    T
	Dia      manual.Fecha
	Revision int64
}

// Add takes over what a Registro knows better; revision says when it arrived.
func (b *Basicos) Add(r *Registro, revision int64) {
	b.Folio.take(r.Folio, r.FechaEvento, revision)
	b.Nombre.take(r.Nombre, r.FechaEvento, revision)
	b.PrimerApellido.take(r.PrimerApellido, r.FechaEvento, revision)
	b.SegundoApellido.take(r.SegundoApellido, r.FechaEvento, revision)
	b.FechaNacimiento.take(r.FechaNacimiento, r.FechaEvento, revision)
	b.LugarNacimiento.take(r.LugarNacimiento, r.FechaEvento, revision)
	b.SexoAsignado.take(r.SexoAsignado, r.FechaEvento, revision)
	b.Telefono.take(r.Telefono, r.FechaEvento, revision)
	b.Correo.take(r.Correo, r.FechaEvento, revision)
	b.Domicilio.take(r.Domicilio, r.FechaEvento, revision)
}

// take replaces the value by a newer one, if one was given.
func (d *Dato[T]) take(valor T, dia manual.Fecha, revision int64) {
	var notGiven T
	if valor == notGiven {
		return
	}
	order := dia.Compare(d.Dia)
	if order > 0 || order == 0 && revision > d.Revision {
		*d = Dato[T]{valor, dia, revision}
	}
}

// Datos composes what is told. It is false when there is nothing that the platform does not
// already know: nothing found, or nothing that adds to the report or differs from it.
func (b *Basicos) Datos(conocida manual.Persona) (Registro, bool) {
	persona := manual.Persona{
		CURP:            conocida.CURP,
		Nombre:          b.Nombre.Valor,
		PrimerApellido:  b.PrimerApellido.Valor,
		SegundoApellido: b.SegundoApellido.Valor,
		FechaNacimiento: b.FechaNacimiento.Valor,
		LugarNacimiento: b.LugarNacimiento.Valor,
		SexoAsignado:    b.SexoAsignado.Valor,
		Telefono:        b.Telefono.Valor,
		Correo:          b.Correo.Valor,
		Domicilio:       b.Domicilio.Valor,
	}
	return Registro{Folio: b.Folio.Valor, Persona: persona}, addsTo(persona, conocida)
}

// addsTo tells whether something is new to the platform or differs from what it has. Place of
// birth and sex that follow from the CURP are known to whoever knows the CURP.
func addsTo(p, known manual.Persona) bool {
	curp := manual.ReadCURP(known.CURP)
	return differs(p.Nombre, known.Nombre) ||
		differs(p.PrimerApellido, known.PrimerApellido) ||
		differs(p.SegundoApellido, known.SegundoApellido) ||
		!p.FechaNacimiento.IsZero() && p.FechaNacimiento != known.FechaNacimiento ||
		differs(string(p.LugarNacimiento), string(cmp.Or(known.LugarNacimiento, curp.Lugar))) ||
		differs(string(p.SexoAsignado), string(cmp.Or(known.SexoAsignado, curp.Sexo))) ||
		differs(p.Telefono, digitsOf(known.Telefono)) ||
		differs(p.Correo, known.Correo) ||
		addressAddsTo(p.Domicilio, known.Domicilio)
}

// addressAddsTo is the same for the parts of an address.
func addressAddsTo(d, known manual.Direccion) bool {
	return differs(d.Direccion, known.Direccion) ||
		differs(d.Calle, known.Calle) ||
		differs(d.Numero, known.Numero) ||
		differs(d.Colonia, known.Colonia) ||
		differs(d.CodigoPostal, known.CodigoPostal) ||
		differs(d.MunicipioOAlcaldia, known.MunicipioOAlcaldia) ||
		differs(d.EntidadFederativa, known.EntidadFederativa)
}

// differs tells whether a given value says something that the known one does not. Case
// carries no information here: institutions and platform write names either way.
func differs(given, known string) bool {
	return given != "" && !strings.EqualFold(strings.TrimSpace(given), strings.TrimSpace(known))
}

// digitsOf leaves the digits of a telephone as the platform wrote it, so that punctuation
// makes no difference.
func digitsOf(telefono string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, telefono)
}
