package grpcapi

import (
	"context"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// CapturaServer takes Registros that reached integracion as events.
type CapturaServer struct {
	registrosv1.UnimplementedCapturaServiceServer

	Store RegistroStore
	// Shares are those of the institutions' own calls: the caller here is a service, which has none.
	Shares *auth.Shares
	// Now tells the time; the latest day in Mexico follows from it.
	Now func() time.Time
	// Metrics counts what comes in.
	Metrics *Metrics
}

// CaptureRegistro gives the verdict that a lote would give, and saves what has no error.
func (s *CapturaServer) CaptureRegistro(ctx context.Context, req *registrosv1.CaptureRegistroRequest) (*registrosv1.CaptureRegistroResponse, error) {
	if req.GetEmpresaId() == "" || req.GetRegistro() == nil {
		return nil, errs.New(errores.Validacion, "Faltan la institución o el registro.")
	}
	received := []*registrosv1.Registro{req.GetRegistro()}
	lote := registros.ValidateLote(entradasOf(received), len(received), manual.LatestFechaOf(s.Now()), false)
	answer := &registrosv1.CaptureRegistroResponse{Observaciones: observacionesOf(lote.Observaciones)}
	if lote.Rechazados > 0 {
		s.Metrics.requested(routeEventos, len(received))
		s.Metrics.refused(routeEventos, len(received))
		return answer, nil
	}
	empresa := tenant.EmpresaID(req.GetEmpresaId())
	leave, err := s.Shares.EnterRecord(ctx, empresa)
	if err != nil {
		return nil, err
	}
	defer leave()
	guardado, err := s.Store.SaveLote(ctx, empresa, registros.LoteRecibido{}, lote.Validos)
	if err != nil {
		return nil, err
	}
	s.Metrics.requested(routeEventos, len(received))
	s.Metrics.saved(routeEventos, guardado, 0)
	return answer, nil
}
