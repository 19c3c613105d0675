package reportes

import "github.com/enlace-iis/enlace/services/internal/manual"

// Persona is what is known of a missing person: only what was given.
type Persona struct {
	CURP            string
	Nombre          string
	PrimerApellido  string
	SegundoApellido string
	FechaNacimiento manual.Fecha
	LugarNacimiento manual.Lugar
	SexoAsignado    manual.Sexo
	Telefono        string
	Correo          string
	Domicilio       Direccion
}

// CURPDepurada stands for a CURP that was removed: it keeps the form that clients of the
// lists read, and is nobody's. The index avisos_por_depurar_idx leaves it out.
const CURPDepurada = "XXXXXXXXXXXXXXXXXX"

// LugarEfectivo is the birthplace that was given, else the one that the CURP tells, and
// empty if it does not tell either (pui.md 1.6).
func (p Persona) LugarEfectivo() manual.Lugar {
	if p.LugarNacimiento != "" {
		return p.LugarNacimiento
	}
	lugar := manual.ReadCURP(p.CURP).Lugar
	if lugar == manual.LugarDesconocido {
		return ""
	}
	return lugar
}

// Direccion is an address, of a person or of an event.
type Direccion struct {
	Direccion          string `json:"direccion,omitzero"`
	Calle              string `json:"calle,omitzero"`
	Numero             string `json:"numero,omitzero"`
	Colonia            string `json:"colonia,omitzero"`
	CodigoPostal       string `json:"codigo_postal,omitzero"`
	MunicipioOAlcaldia string `json:"municipio_o_alcaldia,omitzero"`
	EntidadFederativa  string `json:"entidad_federativa,omitzero"`
}

// complete takes over what another activation of the same Reporte adds or corrects. The
// CURP stays, for it is what the search goes by; an address is taken as a whole.
func (p *Persona) complete(newer Persona) {
	takeOver(&p.Nombre, newer.Nombre)
	takeOver(&p.PrimerApellido, newer.PrimerApellido)
	takeOver(&p.SegundoApellido, newer.SegundoApellido)
	takeOver(&p.FechaNacimiento, newer.FechaNacimiento)
	takeOver(&p.LugarNacimiento, newer.LugarNacimiento)
	takeOver(&p.SexoAsignado, newer.SexoAsignado)
	takeOver(&p.Telefono, newer.Telefono)
	takeOver(&p.Correo, newer.Correo)
	takeOver(&p.Domicilio, newer.Domicilio)
}

// takeOver replaces a value by a newer one, if that one was given.
func takeOver[T comparable](value *T, newer T) {
	var notGiven T
	if newer != notGiven {
		*value = newer
	}
}
