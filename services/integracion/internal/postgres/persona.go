package postgres

import (
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// persona is the column `persona` of a Reporte: what the platform gave beyond the columns
// that are searched. Names stay as they are for good, since rows written by earlier
// versions are read with them.
type persona struct {
	Nombre          string       `json:"nombre,omitzero"`
	PrimerApellido  string       `json:"primer_apellido,omitzero"`
	SegundoApellido string       `json:"segundo_apellido,omitzero"`
	FechaNacimiento manual.Fecha `json:"fecha_nacimiento,omitzero"`
	LugarNacimiento manual.Lugar `json:"lugar_nacimiento,omitzero"`
	SexoAsignado    manual.Sexo  `json:"sexo_asignado,omitzero"`
	Telefono        string       `json:"telefono,omitzero"`
	Correo          string       `json:"correo,omitzero"`
	Domicilio       direccion    `json:"domicilio,omitzero"`
}

type direccion struct {
	Direccion          string `json:"direccion,omitzero"`
	Calle              string `json:"calle,omitzero"`
	Numero             string `json:"numero,omitzero"`
	Colonia            string `json:"colonia,omitzero"`
	CodigoPostal       string `json:"codigo_postal,omitzero"`
	MunicipioOAlcaldia string `json:"municipio_o_alcaldia,omitzero"`
	EntidadFederativa  string `json:"entidad_federativa,omitzero"`
}

func newPersona(p reportes.Persona) persona {
	return persona{
		Nombre:          p.Nombre,
		PrimerApellido:  p.PrimerApellido,
		SegundoApellido: p.SegundoApellido,
		FechaNacimiento: p.FechaNacimiento,
		LugarNacimiento: p.LugarNacimiento,
		SexoAsignado:    p.SexoAsignado,
		Telefono:        p.Telefono,
		Correo:          p.Correo,
		Domicilio:       direccion(p.Domicilio),
	}
}

func (p persona) toDomain(curp string) reportes.Persona {
	return reportes.Persona{
		CURP:            curp,
		Nombre:          p.Nombre,
		PrimerApellido:  p.PrimerApellido,
		SegundoApellido: p.SegundoApellido,
		FechaNacimiento: p.FechaNacimiento,
		LugarNacimiento: p.LugarNacimiento,
		SexoAsignado:    p.SexoAsignado,
		Telefono:        p.Telefono,
		Correo:          p.Correo,
		Domicilio:       reportes.Direccion(p.Domicilio),
	}
}
