package registros

import (
	"strconv"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// Validate applies every rule of contract.md 4.1 to one record and tells all
// that there is to tell about it at once, in the order of its fields. hoy is
// the current day in Mexico City. The Registro is valid, and not zero, only
// when none of the observations is an error. An address without any given
// field is no address.
func Validate(indice int, e *Entrada, hoy manual.Fecha) (Registro, []Observacion) {
	v := validador{hoy: hoy}
	var r Registro
	if !v.validate(indice, e, &r) {
		r = Registro{}
	}
	return r, v.observaciones
}

// validador holds the state of a validation: what the rules need to know and
// what they have found.
type validador struct {
	hoy           manual.Fecha
	observaciones []Observacion
	// primeros gives the index of the first record with each folio; nil when
	// one record is validated alone.
	primeros map[Folio]int

	// Of the record at hand:
	indice  int
	folio   Folio
	ambito  string // the address at hand, "" outside of one
	errores int
}

// validate fills r from e and tells whether the record is admitted. What r
// holds otherwise is of no use.
func (v *validador) validate(indice int, e *Entrada, r *Registro) bool {
	v.indice, v.folio, v.errores = indice, "", 0

	r.Folio = v.validateFolio(e.Folio)
	curp := v.validateCURP(e.CURP, r)
	r.TipoEvento = v.texto(&campoTipoEvento, e.TipoEvento)
	r.FechaEvento = v.fechaEvento(e.FechaEvento)
	r.DescripcionLugarEvento = v.texto(&campoDescripcionLugarEvento, e.DescripcionLugarEvento)
	v.direccion("direccion_evento", &e.DireccionEvento, &r.DireccionEvento)
	r.Nombre = v.nombre(&campoNombre, e.Nombre)
	r.PrimerApellido = v.nombre(&campoPrimerApellido, e.PrimerApellido)
	r.SegundoApellido = v.nombre(&campoSegundoApellido, e.SegundoApellido)
	r.FechaNacimiento = v.fecha(&campoFechaNacimiento, e.FechaNacimiento)
	v.compareFechaNacimiento(r.FechaNacimiento, curp)
	r.LugarNacimiento = v.lugar(e.LugarNacimiento)
	v.compareLugar(r.LugarNacimiento, curp)
	r.SexoAsignado = v.sexo(e.SexoAsignado)
	v.compareSexo(r.SexoAsignado, curp)
	r.Telefono = v.telefono(e.Telefono)
	r.Correo = v.correo(e.Correo)
	v.direccion("domicilio", &e.Domicilio, &r.Domicilio)

	return v.errores == 0
}

// direccion validates an address; the pointers of its observations go through
// its name.
func (v *validador) direccion(nombre string, e *EntradaDireccion, d *Direccion) {
	if *e == (EntradaDireccion{}) {
		return
	}
	v.ambito = nombre
	d.Direccion = v.texto(&campoDireccion, e.Direccion)
	d.Calle = v.texto(&campoCalle, e.Calle)
	d.Numero = v.texto(&campoNumero, e.Numero)
	d.Colonia = v.texto(&campoColonia, e.Colonia)
	d.CodigoPostal = v.codigoPostal(e.CodigoPostal)
	d.MunicipioOAlcaldia = v.texto(&campoMunicipioOAlcaldia, e.MunicipioOAlcaldia)
	d.EntidadFederativa = v.texto(&campoEntidadFederativa, e.EntidadFederativa)
	v.ambito = ""
}

// observe tells that a field of the record at hand breaks a rule.
func (v *validador) observe(f *campo, c Codigo) {
	v.observeWith(f, c, c.mensaje(f))
}

func (v *validador) observeWith(f *campo, c Codigo, mensaje string) {
	gravedad := c.Gravedad()
	if gravedad == GravedadError {
		v.errores++
	}
	v.observaciones = append(v.observaciones, Observacion{
		Indice:   v.indice,
		Folio:    v.folio,
		Gravedad: gravedad,
		Puntero:  v.puntero(f),
		Codigo:   c,
		Mensaje:  mensaje,
	})
}

// puntero is relative to the documented body whichever of its three shapes
// was sent (contract.md 8).
func (v *validador) puntero(f *campo) string {
	registro := "/registros/" + strconv.Itoa(v.indice) + "/"
	if v.ambito == "" {
		return registro + f.nombre
	}
	return registro + v.ambito + "/" + f.nombre
}
