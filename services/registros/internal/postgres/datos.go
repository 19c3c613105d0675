package postgres

import (
	"github.com/enlace-iis/enlace/proto/jsonwire"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// datos is the column `datos` of a Registro and of the Coincidencias that froze it: what
// was given beyond the columns that are searched. Names stay as they are for good, since
// rows written by earlier versions are read with them.
type datos struct {
	DescripcionLugarEvento string           `json:"descripcion_lugar_evento,omitzero"`
	DireccionEvento        manual.Direccion `json:"direccion_evento,omitzero"`
	manual.Persona
}

// appendDatos writes what encoding/json would write of datos, in a tenth of the time.
func appendDatos(b []byte, r *registros.Registro) []byte {
	b = append(b, '{')
	b = appendField(b, "descripcion_lugar_evento", r.DescripcionLugarEvento)
	b = appendDireccion(b, "direccion_evento", &r.DireccionEvento)
	b = appendField(b, "nombre", r.Nombre)
	b = appendField(b, "primer_apellido", r.PrimerApellido)
	b = appendField(b, "segundo_apellido", r.SegundoApellido)
	b = appendField(b, "fecha_nacimiento", r.FechaNacimiento.String())
	b = appendField(b, "lugar_nacimiento", string(r.LugarNacimiento))
	b = appendField(b, "sexo_asignado", string(r.SexoAsignado))
	b = appendField(b, "telefono", r.Telefono)
	b = appendField(b, "correo", r.Correo)
	b = appendDireccion(b, "domicilio", &r.Domicilio)
	return append(b, '}')
}

func appendDireccion(b []byte, name string, d *manual.Direccion) []byte {
	if d.IsZero() {
		return b
	}
	b = append(appendName(b, name), '{')
	b = appendField(b, "direccion", d.Direccion)
	b = appendField(b, "calle", d.Calle)
	b = appendField(b, "numero", d.Numero)
	b = appendField(b, "colonia", d.Colonia)
	b = appendField(b, "codigo_postal", d.CodigoPostal)
	b = appendField(b, "municipio_o_alcaldia", d.MunicipioOAlcaldia)
	b = appendField(b, "entidad_federativa", d.EntidadFederativa)
	return append(b, '}')
}

func appendField(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	return jsonwire.AppendText(appendName(b, name), text)
}

func appendName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(append(b, '"'), name...)
	return append(b, '"', ':')
}

// fill puts the stored fields back into a Registro, beside those that have columns.
func (d datos) fill(r *registros.Registro) {
	d.CURP = r.CURP
	r.DescripcionLugarEvento, r.DireccionEvento, r.Persona = d.DescripcionLugarEvento, d.DireccionEvento, d.Persona
}
