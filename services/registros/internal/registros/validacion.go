package registros

import (
	"strconv"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// validador holds the state of a validation: what the rules need to know and
// what they have found.
type validador struct {
	// hoy is the latest day that it is anywhere in Mexico.
	hoy     manual.Fecha
	informe informe
	// tieneSitio: where an event was is known without its record, too.
	tieneSitio bool
	// primeros gives the index of the first record with each folio.
	primeros map[Folio]int
	// sanos are texts of the batch that passed the gate for health data, or are entities: an
	// institution has few acts and few places, and writes them in every record.
	sanos map[sano]struct{}

	// Of the record at hand:
	indice  int
	folio   Folio
	ambito  string // the address at hand, "" outside of one
	errores int
	// ilegibles are told as such, and not as missing too.
	ilegibles []Ilegible
}

// newValidador begins a batch of so many records.
func newValidador(hoy manual.Fecha, registros int) *validador {
	return &validador{
		hoy: hoy, primeros: make(map[Folio]int, registros), sanos: map[sano]struct{}{},
		informe: informe{totales: map[clave]int{}},
	}
}

// validate applies every rule of contract.md 4.1 to one record and tells all
// that there is to tell about it at once, in the order of its fields. It fills
// r and tells whether the record is admitted: what r holds otherwise is of no
// use. An address without any given field, or of nothing but S/N, is no address.
func (v *validador) validate(indice int, e *Entrada, r *Registro) bool {
	v.indice, v.folio, v.errores, v.ilegibles = indice, "", 0, e.Ilegibles

	r.Folio = v.validateFolio(e.Folio)
	v.tellIlegibles()
	curp := v.validateCURP(e.CURP, r)
	r.TipoEvento = v.texto(&campoTipoEvento, e.TipoEvento)
	r.FechaEvento = v.fechaEvento(e.FechaEvento)
	r.DescripcionLugarEvento = v.texto(&campoDescripcionLugarEvento, e.DescripcionLugarEvento)
	v.direccion("direccion_evento", &e.DireccionEvento, &r.DireccionEvento)
	v.checkLugarEvento(r)
	r.Nombre = v.nombre(&campoNombre, e.Nombre)
	r.PrimerApellido = v.nombre(&campoPrimerApellido, e.PrimerApellido)
	r.SegundoApellido = v.nombre(&campoSegundoApellido, e.SegundoApellido)
	r.FechaNacimiento = v.fechaNacimiento(e.FechaNacimiento, curp)
	r.LugarNacimiento = v.lugar(e.LugarNacimiento, curp)
	r.SexoAsignado = v.sexo(e.SexoAsignado, curp)
	r.Telefono = v.telefono(e.Telefono)
	r.Correo = v.correo(e.Correo)
	v.direccion("domicilio", &e.Domicilio, &r.Domicilio)

	return v.errores == 0
}

// direccion validates an address; the pointers of its observations go through
// its name.
func (v *validador) direccion(nombre string, e, d *manual.Direccion) {
	if *e == (manual.Direccion{}) {
		return
	}
	v.ambito = nombre
	d.Direccion = v.texto(&campoDireccion, e.Direccion)
	d.Calle = v.texto(&campoCalle, e.Calle)
	d.Numero = v.texto(&campoNumero, e.Numero)
	d.Colonia = v.texto(&campoColonia, e.Colonia)
	d.CodigoPostal = v.codigoPostal(e.CodigoPostal)
	d.MunicipioOAlcaldia = v.texto(&campoMunicipioOAlcaldia, e.MunicipioOAlcaldia)
	d.EntidadFederativa = v.entidad(e.EntidadFederativa)
	v.ambito = ""
	if saysNoPlace(*d) {
		*d = manual.Direccion{}
	}
}

// warn tells a doubt about a field that is kept.
func (v *validador) warn(f *campo, c Codigo) {
	v.tell(f, c, GravedadAdvertencia, func() string { return c.mensaje(f) })
}

// tell words an observation only if it finds a place.
func (v *validador) tell(f *campo, c Codigo, gravedad Gravedad, mensaje func() string) {
	if gravedad == GravedadError {
		v.errores++
	}
	donde := lugar{ambito: v.ambito, nombre: f.nombre}
	if !v.informe.count(clave{gravedad: gravedad, codigo: c, lugar: donde}) {
		return
	}
	v.informe.keep(Observacion{
		Indice:   v.indice,
		Folio:    v.folio,
		Gravedad: gravedad,
		Puntero:  v.puntero(donde),
		Codigo:   c,
		Mensaje:  mensaje(),
	})
}

// puntero is relative to the documented body whichever of its three shapes
// was sent (contract.md 8).
func (v *validador) puntero(donde lugar) string {
	registro := "/registros/" + strconv.Itoa(v.indice)
	if donde.nombre == "" {
		return registro
	}
	return registro + "/" + donde.String()
}
