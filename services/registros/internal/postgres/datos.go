package postgres

import (
	"encoding/json"
	"fmt"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// datos is the column `datos` of a Registro and of the Coincidencias that froze it: what
// was given beyond the columns that are searched. Names stay as they are for good, since
// rows written by earlier versions are read with them.
type datos struct {
	DescripcionLugarEvento string       `json:"descripcion_lugar_evento,omitzero"`
	DireccionEvento        direccion    `json:"direccion_evento,omitzero"`
	Nombre                 string       `json:"nombre,omitzero"`
	PrimerApellido         string       `json:"primer_apellido,omitzero"`
	SegundoApellido        string       `json:"segundo_apellido,omitzero"`
	FechaNacimiento        manual.Fecha `json:"fecha_nacimiento,omitzero"`
	LugarNacimiento        manual.Lugar `json:"lugar_nacimiento,omitzero"`
	SexoAsignado           manual.Sexo  `json:"sexo_asignado,omitzero"`
	Telefono               string       `json:"telefono,omitzero"`
	Correo                 string       `json:"correo,omitzero"`
	Domicilio              direccion    `json:"domicilio,omitzero"`
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

// persona is the column `persona` of a Caso.
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

func marshalDatos(r *registros.Registro) ([]byte, error) {
	text, err := json.Marshal(datos{
		DescripcionLugarEvento: r.DescripcionLugarEvento,
		DireccionEvento:        direccion(r.DireccionEvento),
		Nombre:                 r.Nombre,
		PrimerApellido:         r.PrimerApellido,
		SegundoApellido:        r.SegundoApellido,
		FechaNacimiento:        r.FechaNacimiento,
		LugarNacimiento:        r.LugarNacimiento,
		SexoAsignado:           r.SexoAsignado,
		Telefono:               r.Telefono,
		Correo:                 r.Correo,
		Domicilio:              direccion(r.Domicilio),
	})
	if err != nil {
		return nil, fmt.Errorf("encode datos: %w", err)
	}
	return text, nil
}

// fill puts the stored optional fields back into a Registro.
func (d datos) fill(r *registros.Registro) {
	r.DescripcionLugarEvento = d.DescripcionLugarEvento
	r.DireccionEvento = registros.Direccion(d.DireccionEvento)
	r.Nombre = d.Nombre
	r.PrimerApellido = d.PrimerApellido
	r.SegundoApellido = d.SegundoApellido
	r.FechaNacimiento = d.FechaNacimiento
	r.LugarNacimiento = d.LugarNacimiento
	r.SexoAsignado = d.SexoAsignado
	r.Telefono = d.Telefono
	r.Correo = d.Correo
	r.Domicilio = registros.Direccion(d.Domicilio)
}

func newPersona(p registros.Persona) persona {
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

func (p persona) toDomain(curp string) registros.Persona {
	return registros.Persona{
		CURP:            curp,
		Nombre:          p.Nombre,
		PrimerApellido:  p.PrimerApellido,
		SegundoApellido: p.SegundoApellido,
		FechaNacimiento: p.FechaNacimiento,
		LugarNacimiento: p.LugarNacimiento,
		SexoAsignado:    p.SexoAsignado,
		Telefono:        p.Telefono,
		Correo:          p.Correo,
		Domicilio:       registros.Direccion(p.Domicilio),
	}
}
