package registros

import (
	"cmp"
	"slices"
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
	return Registro{Folio: b.Folio.Valor, Persona: persona}, NewConocido(conocida).Learn(persona)
}

// MaxConocidas bounds with how many different things a Conocido compares. Of more, which no real
// person has, some may be told again.
const MaxConocidas = 1000

// Conocido is what the platform knows of the person of a Caso: what its report says, and what
// the Coincidencias of the Caso have told since.
type Conocido struct {
	datos      map[dato]struct{}
	domicilios []manual.Direccion
}

// dato is a value of a basic field, by the field's place in datosOf.
type dato struct {
	campo int
	valor string
}

// NewConocido is what the platform knows before anything was told. Place of birth and sex that
// follow from the CURP are known to whoever knows the CURP.
func NewConocido(reporte manual.Persona) *Conocido {
	curp := manual.ReadCURP(reporte.CURP)
	reporte.LugarNacimiento = cmp.Or(reporte.LugarNacimiento, curp.Lugar)
	reporte.SexoAsignado = cmp.Or(reporte.SexoAsignado, curp.Sexo)
	c := &Conocido{datos: map[dato]struct{}{}}
	c.Learn(reporte)
	return c
}

// Learn takes note of what is told, and reports whether it adds something: a basic field with a
// value that was not told before, an address as a whole. What the platform cannot be told, such as a
// name in another alphabet, adds nothing.
func (c *Conocido) Learn(p manual.Persona) (adds bool) {
	p = p.Notificable()
	for campo, valor := range datosOf(&p) {
		d := dato{campo, valor}
		if _, known := c.datos[d]; valor != "" && !known {
			c.datos[d] = struct{}{}
			adds = true
		}
	}
	if p.Domicilio.IsZero() || slices.ContainsFunc(c.domicilios, func(known manual.Direccion) bool { return !addressAddsTo(p.Domicilio, known) }) {
		return adds
	}
	if len(c.domicilios) < MaxConocidas {
		c.domicilios = append(c.domicilios, p.Domicilio)
	}
	return true
}

// datosOf writes the basic fields but the address so that two which say the same are equal. Case
// carries no information here, nor do the signs of a telephone: institutions and platform write
// them either way.
func datosOf(p *manual.Persona) [8]string {
	return [...]string{
		sameCase(p.Nombre), sameCase(p.PrimerApellido), sameCase(p.SegundoApellido), p.FechaNacimiento.String(),
		sameCase(string(p.LugarNacimiento)), sameCase(string(p.SexoAsignado)), digitsOf(p.Telefono), sameCase(p.Correo),
	}
}

func sameCase(s string) string { return strings.ToUpper(strings.TrimSpace(s)) }

// addressAddsTo tells whether a part of an address is new or differs.
func addressAddsTo(d, known manual.Direccion) bool {
	return differs(d.Direccion, known.Direccion) ||
		differs(d.Calle, known.Calle) ||
		differs(d.Numero, known.Numero) ||
		differs(d.Colonia, known.Colonia) ||
		differs(d.CodigoPostal, known.CodigoPostal) ||
		differs(d.MunicipioOAlcaldia, known.MunicipioOAlcaldia) ||
		differs(d.EntidadFederativa, known.EntidadFederativa)
}

// differs tells whether a given value says something that the known one does not.
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
