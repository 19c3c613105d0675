package grpcapi

import (
	"context"
	"encoding/hex"

	"github.com/google/uuid"
	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// SeguimientoServer serves SeguimientoService.
type SeguimientoServer struct {
	integracionv1.UnimplementedSeguimientoServiceServer
	Seguimiento *seguimiento.Seguimiento
	// Peticiones asks the jobs for work.
	Peticiones Peticiones
	Auditoria  *Auditoria
}

// Peticiones is what an operator may ask the jobs for.
type Peticiones interface {
	Resync(ctx context.Context, empresa tenant.EmpresaID) ([]seguimiento.Pedida, error)
	ResendReportes(ctx context.Context) (int, error)
}

// GetResumen implements SeguimientoService.
func (s *SeguimientoServer) GetResumen(ctx context.Context, _ *integracionv1.GetResumenRequest) (*integracionv1.GetResumenResponse, error) {
	r, err := s.Seguimiento.Resumen(ctx)
	if err != nil {
		return nil, err
	}
	answer := &integracionv1.GetResumenResponse{
		EnOrden: len(r.Pendientes) == 0 && !r.RegistrosCaido, RegistrosCaido: r.RegistrosCaido,
		Restablecimientos: each(r.Restablecimientos, restablecimientoOf),
	}
	for _, p := range r.Pendientes {
		answer.Pendientes = append(answer.Pendientes, &integracionv1.Pendiente{
			Tipo: string(p.Tipo), IdEmpresa: string(p.EmpresaID), Total: int32(p.Total), Fecha: rpc.OptionalInstant(p.Fecha),
			Recurso: rpc.Optional(p.Recurso), Mensaje: p.Mensaje(),
		})
	}
	return answer, nil
}

// FindPersona implements SeguimientoService.
func (s *SeguimientoServer) FindPersona(ctx context.Context, req *integracionv1.FindPersonaRequest) (*integracionv1.FindPersonaResponse, error) {
	p, err := s.Seguimiento.FindPersona(ctx, req.GetCurp())
	if err != nil {
		return nil, err
	}
	return &integracionv1.FindPersonaResponse{
		CurpHuella: hex.EncodeToString(p.Huella), Notificada: p.Notificada(), Expedientes: each(p.Expedientes, expedienteOf),
	}, nil
}

// ListReportes implements SeguimientoService.
func (s *SeguimientoServer) ListReportes(req *integracionv1.ListReportesRequest, stream grpc.ServerStreamingServer[integracionv1.ListReportesResponse]) error {
	all, err := s.Seguimiento.Reportes(stream.Context(), seguimiento.Filtro{EmpresaID: tenant.EmpresaID(req.GetIdEmpresa()), Estado: req.GetEstado()})
	if err == nil {
		err = s.Auditoria.show(stream.Context(), bitacora.AccionVerReportes, tenant.EmpresaID(req.GetIdEmpresa()), "", nil)
	}
	if err != nil {
		return err
	}
	return rpc.SendList(stream, all, func(chunk []seguimiento.Seguido) *integracionv1.ListReportesResponse {
		return &integracionv1.ListReportesResponse{Reportes: each(chunk, seguidoOf)}
	})
}

// GetReporte implements SeguimientoService.
func (s *SeguimientoServer) GetReporte(ctx context.Context, req *integracionv1.GetReporteRequest) (*integracionv1.GetReporteResponse, error) {
	e, err := s.Seguimiento.Show(ctx, tenant.EmpresaID(req.GetIdEmpresa()), req.GetReporteId())
	if err == nil {
		err = s.Auditoria.show(ctx, bitacora.AccionVerReporte, e.EmpresaID, e.ReporteID, nil)
	}
	if err != nil {
		return nil, err
	}
	return &integracionv1.GetReporteResponse{Expediente: expedienteOf(e)}, nil
}

// SearchReporteAgain implements SeguimientoService.
func (s *SeguimientoServer) SearchReporteAgain(ctx context.Context, req *integracionv1.SearchReporteAgainRequest) (*integracionv1.SearchReporteAgainResponse, error) {
	err := s.Seguimiento.SearchAgain(ctx, tenant.EmpresaID(req.GetIdEmpresa()), req.GetReporteId())
	if err != nil {
		return nil, err
	}
	return &integracionv1.SearchReporteAgainResponse{IdEmpresa: req.GetIdEmpresa(), ReporteId: req.GetReporteId()}, nil
}

// SearchReportesAgain implements SeguimientoService.
func (s *SeguimientoServer) SearchReportesAgain(ctx context.Context, req *integracionv1.SearchReportesAgainRequest) (*integracionv1.SearchReportesAgainResponse, error) {
	err := s.Seguimiento.SearchAllAgain(ctx, tenant.EmpresaID(req.GetIdEmpresa()))
	if err != nil {
		return nil, err
	}
	return &integracionv1.SearchReportesAgainResponse{IdEmpresa: req.GetIdEmpresa()}, nil
}

// RetryFin implements SeguimientoService.
func (s *SeguimientoServer) RetryFin(ctx context.Context, req *integracionv1.RetryFinRequest) (*integracionv1.RetryFinResponse, error) {
	err := s.Seguimiento.RetryFin(ctx, tenant.EmpresaID(req.GetIdEmpresa()), req.GetReporteId())
	if err != nil {
		return nil, err
	}
	return &integracionv1.RetryFinResponse{IdEmpresa: req.GetIdEmpresa(), ReporteId: req.GetReporteId(), Finalizacion: envio.Pendiente}, nil
}

// SkipFin implements SeguimientoService.
func (s *SeguimientoServer) SkipFin(ctx context.Context, req *integracionv1.SkipFinRequest) (*integracionv1.SkipFinResponse, error) {
	err := s.Seguimiento.SkipFin(ctx, tenant.EmpresaID(req.GetIdEmpresa()), req.GetReporteId())
	if err != nil {
		return nil, err
	}
	return &integracionv1.SkipFinResponse{IdEmpresa: req.GetIdEmpresa(), ReporteId: req.GetReporteId(), Finalizacion: envio.Rechazada}, nil
}

// ListHallazgosSeguidos implements SeguimientoService.
func (s *SeguimientoServer) ListHallazgosSeguidos(req *integracionv1.ListHallazgosSeguidosRequest, stream grpc.ServerStreamingServer[integracionv1.ListHallazgosSeguidosResponse]) error {
	all, err := s.Seguimiento.Hallazgos(stream.Context(), seguimiento.Filtro{EmpresaID: tenant.EmpresaID(req.GetIdEmpresa()), Estado: req.GetEstado()})
	if err == nil {
		err = s.Auditoria.show(stream.Context(), bitacora.AccionVerCoincidencias, tenant.EmpresaID(req.GetIdEmpresa()), "", nil)
	}
	if err != nil {
		return err
	}
	return rpc.SendList(stream, all, func(chunk []seguimiento.Hallazgo) *integracionv1.ListHallazgosSeguidosResponse {
		return &integracionv1.ListHallazgosSeguidosResponse{Coincidencias: each(chunk, hallazgoOf)}
	})
}

// RetryHallazgo implements SeguimientoService.
func (s *SeguimientoServer) RetryHallazgo(ctx context.Context, req *integracionv1.RetryHallazgoRequest) (*integracionv1.RetryHallazgoResponse, error) {
	id, err := uuid.Parse(req.GetCoincidenciaId())
	if err != nil {
		return nil, errs.New(errores.NoEncontrado, errores.DetalleSinCoincidencia)
	}
	err = s.Seguimiento.Retry(ctx, tenant.EmpresaID(req.GetIdEmpresa()), id)
	if err != nil {
		return nil, err
	}
	return &integracionv1.RetryHallazgoResponse{IdEmpresa: req.GetIdEmpresa(), Id: id.String(), Estado: envio.Pendiente}, nil
}

// SkipHallazgo implements SeguimientoService.
func (s *SeguimientoServer) SkipHallazgo(ctx context.Context, req *integracionv1.SkipHallazgoRequest) (*integracionv1.SkipHallazgoResponse, error) {
	id, err := uuid.Parse(req.GetCoincidenciaId())
	if err != nil {
		return nil, errs.New(errores.NoEncontrado, errores.DetalleSinCoincidencia)
	}
	err = s.Seguimiento.Skip(ctx, tenant.EmpresaID(req.GetIdEmpresa()), id)
	if err != nil {
		return nil, err
	}
	return &integracionv1.SkipHallazgoResponse{IdEmpresa: req.GetIdEmpresa(), Id: id.String(), Estado: envio.Rechazada}, nil
}

// RetryHallazgos implements SeguimientoService.
func (s *SeguimientoServer) RetryHallazgos(ctx context.Context, req *integracionv1.RetryHallazgosRequest) (*integracionv1.RetryHallazgosResponse, error) {
	simular, cuales := req.GetReintento().GetSimular(), seguimiento.Reintentables(req.GetReintento().GetCuales())
	done, err := s.Seguimiento.RetryAll(ctx, tenant.EmpresaID(req.GetIdEmpresa()), cuales, simular)
	if err != nil {
		return nil, err
	}
	return &integracionv1.RetryHallazgosResponse{
		IdEmpresa: req.GetIdEmpresa(), Simulado: simular, Reintentadas: int32(done.Reintentadas), SinReintento: int32(done.SinReintento),
	}, nil
}

// GetLote implements SeguimientoService.
func (s *SeguimientoServer) GetLote(ctx context.Context, req *integracionv1.GetLoteRequest) (*integracionv1.GetLoteResponse, error) {
	l, err := s.Seguimiento.Lote(ctx, tenant.EmpresaID(req.GetIdEmpresa()), req.GetIdLote())
	if err != nil {
		return nil, err
	}
	return &integracionv1.GetLoteResponse{Lote: &integracionv1.Lote{
		IdLote: l.ID, IdEmpresa: req.GetIdEmpresa(), RecibidoEn: rpc.Instant(l.RecibidoEn), KeyId: l.KeyID, Total: int32(l.Total),
		Creados: int32(l.Creados), Actualizados: int32(l.Actualizados), SinCambios: int32(l.SinCambios),
		Rechazados: int32(l.Rechazados), Coincidencias: int32(l.Coincidencias),
	}}, nil
}

// ListCifras implements SeguimientoService.
func (s *SeguimientoServer) ListCifras(req *integracionv1.ListCifrasRequest, stream grpc.ServerStreamingServer[integracionv1.ListCifrasResponse]) error {
	all, err := s.Seguimiento.Cifras(stream.Context(), tenant.EmpresaID(req.GetIdEmpresa()))
	if err != nil {
		return err
	}
	return stream.Send(&integracionv1.ListCifrasResponse{Dias: each(all, func(c seguimiento.Cifras) *integracionv1.Cifras {
		return &integracionv1.Cifras{
			Dia: c.Dia, Recibidos: int32(c.Recibidos), Creados: int32(c.Creados), Actualizados: int32(c.Actualizados),
			Rechazados: int32(c.Rechazados), Coincidencias: int32(c.Coincidencias), Notificadas: int32(c.Notificadas),
			MedianaMs: rpc.Optional(int32(c.Mediana.Milliseconds())),
		}
	})})
}

// ReviewSinAbrir implements SeguimientoService.
func (s *SeguimientoServer) ReviewSinAbrir(ctx context.Context, req *integracionv1.ReviewSinAbrirRequest) (*integracionv1.ReviewSinAbrirResponse, error) {
	revisados, quedan, err := s.Seguimiento.ReviewSinAbrir(ctx, tenant.EmpresaID(req.GetIdEmpresa()))
	if err != nil {
		return nil, err
	}
	return &integracionv1.ReviewSinAbrirResponse{IdEmpresa: req.GetIdEmpresa(), Quedan: quedan, Revisados: each(revisados, func(r reportes.SinAbrir) *integracionv1.SinAbrir {
		return &integracionv1.SinAbrir{
			Origen: string(r.Origen), ReporteId: rpc.Optional(r.ReporteID), Defectos: r.Defectos, OcurridoEn: rpc.Instant(r.OcurridoEn),
		}
	})}, nil
}

// ResyncReportes implements SeguimientoService.
func (s *SeguimientoServer) ResyncReportes(ctx context.Context, req *integracionv1.ResyncReportesRequest) (*integracionv1.ResyncReportesResponse, error) {
	pedidas, err := s.Peticiones.Resync(ctx, tenant.EmpresaID(req.GetIdEmpresa()))
	if err != nil {
		return nil, err
	}
	return &integracionv1.ResyncReportesResponse{Resincronizaciones: each(pedidas, func(p seguimiento.Pedida) *integracionv1.ResincronizacionPedida {
		estado := "pedida"
		if p.EnCurso {
			estado = "en_curso"
		}
		return &integracionv1.ResincronizacionPedida{IdEmpresa: string(p.EmpresaID), Estado: estado}
	})}, nil
}

// ResendReportes implements SeguimientoService.
func (s *SeguimientoServer) ResendReportes(ctx context.Context, _ *integracionv1.ResendReportesRequest) (*integracionv1.ResendReportesResponse, error) {
	resent, err := s.Peticiones.ResendReportes(ctx)
	if err != nil {
		return nil, err
	}
	return &integracionv1.ResendReportesResponse{Reportes: int32(resent)}, nil
}
