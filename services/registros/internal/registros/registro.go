package registros

import "github.com/enlace-iis/enlace/services/internal/manual"

// Folio is an institution's own identifier of a Registro, unique within the
// institution and case sensitive.
type Folio string

// Entrada is a record as it was received: every field the client's text, ""
// for one that was absent or null.
type Entrada struct {
	Folio                  string
	CURP                   string
	TipoEvento             string
	FechaEvento            string
	DescripcionLugarEvento string
	DireccionEvento        EntradaDireccion
	Nombre                 string
	PrimerApellido         string
	SegundoApellido        string
	FechaNacimiento        string
	LugarNacimiento        string
	SexoAsignado           string
	Telefono               string
	Correo                 string
	Domicilio              EntradaDireccion
	// Ilegibles are the fields that could not be read as what they should be.
	Ilegibles []Ilegible
}

// Ilegible is a field, or the record as a whole, that does not have the documented form.
// Its value is not kept.
type Ilegible struct {
	// Campo is the path inside the record as a JSON Pointer without its first slash, and ""
	// for the record as a whole.
	Campo string
	// Codigo is CodigoCampoDesconocido, CodigoCampoRepetido or CodigoTipoIncorrecto.
	Codigo Codigo
}

// EntradaDireccion is an address as it was received. An address that was
// absent or null is the zero value, as is one without any field.
type EntradaDireccion struct {
	Direccion          string
	Calle              string
	Numero             string
	Colonia            string
	CodigoPostal       string
	MunicipioOAlcaldia string
	EntidadFederativa  string
}

// Registro is a record that was admitted: its texts normalised, its dates
// read. It holds what the institution gave and nothing derived from it; the
// zero value of a field means "not given". Registros are comparable with ==,
// and equal Registros have equal Huellas.
type Registro struct {
	Folio                  Folio
	CURP                   string
	TipoEvento             string
	FechaEvento            manual.Fecha
	DescripcionLugarEvento string
	DireccionEvento        Direccion
	Nombre                 string
	PrimerApellido         string
	SegundoApellido        string
	FechaNacimiento        manual.Fecha
	LugarNacimiento        manual.Lugar
	SexoAsignado           manual.Sexo
	Telefono               string
	Correo                 string
	Domicilio              Direccion
}

// Direccion is an address of which every field is optional.
type Direccion struct {
	Direccion          string
	Calle              string
	Numero             string
	Colonia            string
	CodigoPostal       string
	MunicipioOAlcaldia string
	EntidadFederativa  string
}

// IsZero tells whether no field of the address was given.
func (d *Direccion) IsZero() bool { return *d == Direccion{} }

// LugarNacimientoEfectivo is the birthplace to tell the platform. It is never empty, since
// the platform requires it (pui.md 1.2).
func (r *Registro) LugarNacimientoEfectivo() manual.Lugar {
	return manual.ReadCURP(r.CURP).LugarOf(r.LugarNacimiento)
}

// SexoAsignadoEfectivo is the sex to tell the platform, and "" when nobody knows it.
func (r *Registro) SexoAsignadoEfectivo() manual.Sexo {
	return manual.ReadCURP(r.CURP).SexoOf(r.SexoAsignado)
}
