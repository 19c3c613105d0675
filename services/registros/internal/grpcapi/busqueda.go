package grpcapi

import (
	"context"
	"log/slog"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// BusquedaStore opens and closes Casos; see package postgres.
type BusquedaStore interface {
	OpenCaso(ctx context.Context, empresa tenant.EmpresaID, r registros.Reporte) (registros.CasoID, error)
	CloseCaso(ctx context.Context, empresa tenant.EmpresaID, reporteID string, ciclo int, at time.Time) error
}

// BusquedaServer follows the reports that integracion received.
type BusquedaServer struct {
	registrosv1.UnimplementedBusquedaServiceServer

	Store BusquedaStore
}

// OpenCaso opens or completes the Caso of a Reporte.
func (s *BusquedaServer) OpenCaso(ctx context.Context, req *registrosv1.OpenCasoRequest) (*registrosv1.OpenCasoResponse, error) {
	reporte, err := reporteOf(req)
	if err != nil {
		return nil, err
	}
	if reporte.FechaDesaparicion.After(manual.FechaOf(reporte.ActivadoEn)) {
		// pui.md 3.2, rule 6: the window of phase 2 is empty, and phase 3 waits for that day.
		slog.WarnContext(ctx, "disappearance date is in the future", "empresa_id", req.GetEmpresaId(), "reporte_id", reporte.ID)
	}
	id, err := s.Store.OpenCaso(ctx, tenant.EmpresaID(req.GetEmpresaId()), reporte)
	if err != nil {
		return nil, err
	}
	return &registrosv1.OpenCasoResponse{CasoId: id.String()}, nil
}

// CloseCaso closes the Caso of a Reporte.
func (s *BusquedaServer) CloseCaso(ctx context.Context, req *registrosv1.CloseCasoRequest) (*registrosv1.CloseCasoResponse, error) {
	if req.GetEmpresaId() == "" || req.GetReporteId() == "" || req.GetCiclo() < 1 {
		return nil, errs.New(errores.Validacion, "Falta la institución, el reporte o su ciclo.")
	}
	err := s.Store.CloseCaso(ctx, tenant.EmpresaID(req.GetEmpresaId()), req.GetReporteId(), int(req.GetCiclo()), req.GetCerradoEn().AsTime())
	if err != nil {
		return nil, err
	}
	return &registrosv1.CloseCasoResponse{}, nil
}

// reporteOf reads what integracion has validated already; what is wrong here is a defect
// of ours, except that a place or sex outside of the lists counts as not given.
func reporteOf(req *registrosv1.OpenCasoRequest) (registros.Reporte, error) {
	p := req.GetPersona()
	desaparicion, ok := optionalFecha(req.GetFechaDesaparicion())
	_, okNacimiento := optionalFecha(p.GetFechaNacimiento())
	if !ok || !okNacimiento || !manual.IsCURP(p.GetCurp()) || req.GetReporteId() == "" || req.GetEmpresaId() == "" || req.GetCiclo() < 1 || req.GetActivadoEn() == nil {
		return registros.Reporte{}, errs.New(errores.Validacion, "El reporte no está completo o trae una fecha o CURP mal escrita.")
	}
	return registros.Reporte{
		ID:                req.GetReporteId(),
		Ciclo:             int(req.GetCiclo()),
		ActivadoEn:        req.GetActivadoEn().AsTime(),
		FechaDesaparicion: desaparicion,
		AvisarDesde:       req.GetAvisarDesde().AsTime(),
		Persona:           rpc.PersonaOf(p),
	}, nil
}

// optionalFecha reads a date that may be missing.
func optionalFecha(text string) (manual.Fecha, bool) {
	if text == "" {
		return manual.Fecha{}, true
	}
	return manual.ParseFecha(text)
}
