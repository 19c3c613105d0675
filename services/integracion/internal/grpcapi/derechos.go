package grpcapi

import (
	"context"

	"google.golang.org/grpc"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// FindRegistros implements SeguimientoService.
func (s *SeguimientoServer) FindRegistros(req *integracionv1.FindRegistrosRequest, stream grpc.ServerStreamingServer[integracionv1.FindRegistrosResponse]) error {
	return s.Seguimiento.EachRegistro(stream.Context(), seguimiento.Seleccion{
		EmpresaID: tenant.EmpresaID(req.GetIdEmpresa()), CURP: req.GetCurp(), Folio: req.GetFolio(),
	}, func(chunk []seguimiento.Registro) error {
		return stream.Send(&integracionv1.FindRegistrosResponse{Registros: each(chunk, registroOf)})
	})
}

func registroOf(r seguimiento.Registro) *integracionv1.RegistroGuardado {
	return &integracionv1.RegistroGuardado{
		Folio: r.Folio, Curp: r.CURP, TipoEvento: r.TipoEvento, FechaEvento: r.FechaEvento,
		Campos: each(r.Campos, func(c seguimiento.Campo) *integracionv1.CampoGuardado {
			return &integracionv1.CampoGuardado{Campo: c.Campo, Valor: c.Valor}
		}),
		CreadoEn: rpc.Instant(r.CreadoEn), ActualizadoEn: rpc.Instant(r.ActualizadoEn), Notificadas: int32(r.Notificadas),
	}
}

// DeleteRegistros implements SeguimientoService.
func (s *SeguimientoServer) DeleteRegistros(ctx context.Context, req *integracionv1.DeleteRegistrosRequest) (*integracionv1.DeleteRegistrosResponse, error) {
	done, err := s.Seguimiento.DeleteRegistros(ctx, seguimiento.Seleccion{
		EmpresaID: tenant.EmpresaID(req.GetIdEmpresa()), CURP: req.GetCurp(), Folio: req.GetFolio(),
	}, req.GetSimular())
	if err != nil {
		return nil, err
	}
	return &integracionv1.DeleteRegistrosResponse{
		IdEmpresa: req.GetIdEmpresa(), Simulado: req.GetSimular(), Registros: int32(done.Registros), Coincidencias: int32(len(done.Coincidencias)),
	}, nil
}
