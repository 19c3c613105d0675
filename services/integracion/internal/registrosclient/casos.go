// Package registrosclient is how integracion reaches registros: to open and close searches, to
// hand over the record of an event, and to ask for operators.
package registrosclient

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/rpc"
)

// Casos implements [reportes.Casos] on registros.
type Casos struct {
	client registrosv1.BusquedaServiceClient
}

// Idempotent lists the methods that may be repeated when no replica took them: a repeated
// one finds done what it asks for, and its answer is the same but for the count of new
// matches.
var Idempotent = []string{
	registrosv1.BusquedaService_OpenCaso_FullMethodName,
	registrosv1.BusquedaService_CloseCaso_FullMethodName,
	registrosv1.CapturaService_CaptureRegistro_FullMethodName,
}

// NewCasos makes Casos on a connection to registros.
func NewCasos(conn grpc.ClientConnInterface) *Casos {
	return &Casos{client: registrosv1.NewBusquedaServiceClient(conn)}
}

// OpenCaso implements [reportes.Casos].
func (c *Casos) OpenCaso(ctx context.Context, r reportes.Reporte) error {
	_, err := c.client.OpenCaso(ctx, &registrosv1.OpenCasoRequest{
		EmpresaId:         string(r.EmpresaID),
		ReporteId:         r.ReporteID,
		Ciclo:             int32(r.Ciclo),
		ActivadoEn:        timestamppb.New(r.SolicitadoEn()),
		FechaDesaparicion: r.FechaDesaparicion.String(),
		Persona:           personaOf(r.Persona),
		AvisarDesde:       timestamppb.New(r.ActivadoEn.Add(entregas.AnswerMargin)),
	})
	return err
}

// CloseCaso implements [reportes.Casos].
func (c *Casos) CloseCaso(ctx context.Context, r reportes.Reporte) error {
	_, err := c.client.CloseCaso(ctx, &registrosv1.CloseCasoRequest{
		EmpresaId: string(r.EmpresaID),
		ReporteId: r.ReporteID,
		Ciclo:     int32(r.Ciclo),
		CerradoEn: timestamppb.New(r.DesactivadoEn),
	})
	return err
}

func personaOf(p manual.Persona) *registrosv1.PersonaReportada {
	return &registrosv1.PersonaReportada{
		Curp:            p.CURP,
		Nombre:          p.Nombre,
		PrimerApellido:  p.PrimerApellido,
		SegundoApellido: p.SegundoApellido,
		FechaNacimiento: p.FechaNacimiento.String(),
		LugarNacimiento: string(p.LugarConocido()),
		SexoAsignado:    string(p.SexoAsignado),
		Telefono:        p.Telefono,
		Correo:          p.Correo,
		Domicilio:       rpc.WireDireccion(p.Domicilio),
	}
}
