package rpc

import (
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// Persona is what the messages that tell of a person have in common.
type Persona interface {
	GetCurp() string
	GetNombre() string
	GetPrimerApellido() string
	GetSegundoApellido() string
	GetFechaNacimiento() string
	GetLugarNacimiento() string
	GetSexoAsignado() string
	GetTelefono() string
	GetCorreo() string
	GetDomicilio() *registrosv1.Direccion
}

// PersonaOf reads a person whom the other service has validated. A date, place or sex that is
// none counts as not given.
func PersonaOf(p Persona) manual.Persona {
	nacimiento, _ := manual.ParseFecha(p.GetFechaNacimiento())
	lugar, _ := manual.ParseLugar(p.GetLugarNacimiento())
	sexo, _ := manual.ParseSexo(p.GetSexoAsignado())
	return manual.Persona{
		CURP:            p.GetCurp(),
		Nombre:          p.GetNombre(),
		PrimerApellido:  p.GetPrimerApellido(),
		SegundoApellido: p.GetSegundoApellido(),
		FechaNacimiento: nacimiento,
		LugarNacimiento: lugar,
		SexoAsignado:    sexo,
		Telefono:        p.GetTelefono(),
		Correo:          p.GetCorreo(),
		Domicilio:       DireccionOf(p.GetDomicilio()),
	}
}

// DireccionOf reads an address as it came.
func DireccionOf(d *registrosv1.Direccion) manual.Direccion {
	return manual.Direccion{
		Direccion:          d.GetDireccion(),
		Calle:              d.GetCalle(),
		Numero:             d.GetNumero(),
		Colonia:            d.GetColonia(),
		CodigoPostal:       d.GetCodigoPostal(),
		MunicipioOAlcaldia: d.GetMunicipioOAlcaldia(),
		EntidadFederativa:  d.GetEntidadFederativa(),
	}
}

// WireDireccion is the reverse; nil for an address that was not given.
func WireDireccion(d manual.Direccion) *registrosv1.Direccion {
	if d.IsZero() {
		return nil
	}
	return &registrosv1.Direccion{
		Direccion:          d.Direccion,
		Calle:              d.Calle,
		Numero:             d.Numero,
		Colonia:            d.Colonia,
		CodigoPostal:       d.CodigoPostal,
		MunicipioOAlcaldia: d.MunicipioOAlcaldia,
		EntidadFederativa:  d.EntidadFederativa,
	}
}
