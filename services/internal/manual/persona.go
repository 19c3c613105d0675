package manual

import (
	"cmp"
	"strings"
)

// Persona is what the manual lets be said of a person; the zero value of a field means "not
// given". In JSON it is what both services keep of a person beside the CURP, which has a column
// of its own. The names stay as they are for good, since rows written by earlier versions are
// read with them.
type Persona struct {
	CURP            string    `json:"-"`
	Nombre          string    `json:"nombre,omitzero"`
	PrimerApellido  string    `json:"primer_apellido,omitzero"`
	SegundoApellido string    `json:"segundo_apellido,omitzero"`
	FechaNacimiento Fecha     `json:"fecha_nacimiento,omitzero"`
	LugarNacimiento Lugar     `json:"lugar_nacimiento,omitzero"`
	SexoAsignado    Sexo      `json:"sexo_asignado,omitzero"`
	Telefono        string    `json:"telefono,omitzero"`
	Correo          string    `json:"correo,omitzero"`
	Domicilio       Direccion `json:"domicilio,omitzero"`
}

// Direccion is an address, of a person or of an event; every field is optional. The names in
// JSON are also the manual's.
type Direccion struct {
	Direccion          string `json:"direccion,omitzero"`
	Calle              string `json:"calle,omitzero"`
	Numero             string `json:"numero,omitzero"`
	Colonia            string `json:"colonia,omitzero"`
	CodigoPostal       string `json:"codigo_postal,omitzero"`
	MunicipioOAlcaldia string `json:"municipio_o_alcaldia,omitzero"`
	EntidadFederativa  string `json:"entidad_federativa,omitzero"`
}

// CURPDepurada stands for a CURP that was removed: it keeps the form that clients of the lists
// read, and is nobody's. The index avisos_por_depurar_idx leaves it out.
const CURPDepurada = "XXXXXXXXXXXXXXXXXX"

// IsZero tells whether no field of the address was given.
func (d Direccion) IsZero() bool { return d == Direccion{} }

// LugarEfectivo is the birthplace to tell the platform. It is never empty, since the platform
// requires it (pui.md 1.2), and a place of its list, whatever was stored.
func (p *Persona) LugarEfectivo() Lugar {
	listed, _ := ParseLugar(string(p.LugarNacimiento))
	return ReadCURP(p.CURP).LugarOf(listed)
}

// LugarConocido is the birthplace that was given, else the one that the CURP tells, and empty if
// it does not tell either (pui.md 1.6).
func (p *Persona) LugarConocido() Lugar {
	lugar := cmp.Or(p.LugarNacimiento, p.LugarEfectivo())
	if lugar == LugarDesconocido {
		return ""
	}
	return lugar
}

// SexoEfectivo is the sex to tell the platform, and "" when nobody knows it.
func (p *Persona) SexoEfectivo() Sexo {
	listed, _ := ParseSexo(string(p.SexoAsignado))
	return ReadCURP(p.CURP).SexoOf(listed)
}

// Notificable is what the platform is told of the person (pui.md 1.2): names and address in its
// alphabet, birthplace and sex as they are in effect, and nothing that it would refuse.
func (p *Persona) Notificable() Persona {
	told := Persona{
		CURP:            p.CURP,
		Nombre:          TransliterateNombre(p.Nombre, MaxNombre),
		PrimerApellido:  TransliterateNombre(p.PrimerApellido, MaxNombre),
		SegundoApellido: TransliterateNombre(p.SegundoApellido, MaxNombre),
		FechaNacimiento: p.FechaNacimiento,
		LugarNacimiento: p.LugarEfectivo(),
		SexoAsignado:    p.SexoEfectivo(),
		Domicilio:       p.Domicilio.Notificable(),
	}
	telefono, ok := NormalizeTelefono(p.Telefono) // a + is dropped with the other signs
	if ok && IsTelefono(telefono) {
		told.Telefono = telefono
	}
	correo := strings.TrimSpace(p.Correo)
	if IsCorreo(correo) {
		told.Correo = correo
	}
	return told
}

// Notificable is what the platform is told of an address.
func (d Direccion) Notificable() Direccion {
	told := Direccion{
		Direccion:          TransliterateTexto(d.Direccion, MaxDireccion),
		Calle:              TransliterateTexto(d.Calle, MaxCalle),
		Numero:             TransliterateTexto(d.Numero, MaxNumero),
		Colonia:            TransliterateTexto(d.Colonia, MaxColonia),
		MunicipioOAlcaldia: TransliterateTexto(d.MunicipioOAlcaldia, MaxMunicipioOAlcaldia),
		EntidadFederativa:  entidadNotificable(d.EntidadFederativa),
	}
	if IsCodigoPostal(d.CodigoPostal) {
		told.CodigoPostal = d.CodigoPostal
	}
	return told
}

// Complete takes over what another activation of the same Reporte adds or corrects; what it does
// not give stays. The CURP stays too, for it is what the search goes by; an address is taken as
// a whole.
func (p *Persona) Complete(newer Persona) {
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

// entidadNotificable leaves out what is no federal entity, which older records have.
func entidadNotificable(s string) string {
	if !IsEntidad(s) {
		return ""
	}
	return TransliterateTexto(s, MaxEntidadFederativa)
}
