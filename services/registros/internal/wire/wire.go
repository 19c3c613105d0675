// Package wire writes what registros keeps as its protos have it, the same for whoever reads it.
package wire

import (
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// Registro is a record as the institution gave it.
func Registro(r *registros.Registro) *registrosv1.Registro {
	return &registrosv1.Registro{
		Folio:                  string(r.Folio),
		Curp:                   r.CURP,
		TipoEvento:             r.TipoEvento,
		FechaEvento:            r.FechaEvento.String(),
		DescripcionLugarEvento: r.DescripcionLugarEvento,
		DireccionEvento:        rpc.WireDireccion(r.DireccionEvento),
		Nombre:                 r.Nombre,
		PrimerApellido:         r.PrimerApellido,
		SegundoApellido:        r.SegundoApellido,
		FechaNacimiento:        r.FechaNacimiento.String(),
		LugarNacimiento:        string(r.LugarNacimiento),
		SexoAsignado:           string(r.SexoAsignado),
		Telefono:               r.Telefono,
		Correo:                 r.Correo,
		Domicilio:              rpc.WireDireccion(r.Domicilio),
	}
}
