package reportes

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Casos is where registros keeps the searches. Both methods may be repeated.
type Casos interface {
	OpenCaso(ctx context.Context, r Reporte) error
	CloseCaso(ctx context.Context, r Reporte) error
}

// ReporteFinder reads a Reporte; a missing one is NoEncontrado.
type ReporteFinder interface {
	GetReporte(ctx context.Context, empresa tenant.EmpresaID, fila uuid.UUID) (Reporte, error)
}

// Sincronia brings the Casos of registros to the state of the Reportes here.
type Sincronia struct {
	Reportes ReporteFinder
	Casos    Casos
}

// SyncCaso tells registros how a Reporte stands now, and again if that changed meanwhile.
// So any number of these may run at once and in any order: the last one to finish has told
// the newest state.
func (s *Sincronia) SyncCaso(ctx context.Context, empresa tenant.EmpresaID, fila uuid.UUID) error {
	told := 0
	for {
		reporte, err := s.Reportes.GetReporte(ctx, empresa, fila)
		if errs.Is(err, errores.NoEncontrado) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read reporte: %w", err)
		}
		if reporte.Version == told {
			return nil
		}
		err = s.tell(ctx, reporte)
		if err != nil {
			return err
		}
		told = reporte.Version
	}
}

// CloseCasos closes the Casos of Reportes that ended, the newest first.
func (s *Sincronia) CloseCasos(ctx context.Context, empresa tenant.EmpresaID, filas []uuid.UUID) error {
	for _, fila := range slices.Backward(filas) {
		reporte, err := s.Reportes.GetReporte(ctx, empresa, fila)
		if err != nil {
			return fmt.Errorf("read reporte: %w", err)
		}
		err = s.tell(ctx, reporte)
		if err != nil {
			return err
		}
	}
	return nil
}

// tell opens the Caso of a Reporte, and closes it if that ended. It is opened in any case: an
// opening that is still under way then finds it closed and leaves it so, whereas a Caso that
// is not there yet could not be closed, and would open after all. One whose person was
// removed ended long ago, and with it its Caso.
func (s *Sincronia) tell(ctx context.Context, r Reporte) error {
	if r.Persona.CURP == manual.CURPDepurada {
		return nil
	}
	err := s.Casos.OpenCaso(ctx, r)
	if err != nil {
		return fmt.Errorf("open caso: %w", err)
	}
	if r.Estado == ReporteActivo {
		return nil
	}
	err = s.Casos.CloseCaso(ctx, r)
	if err != nil {
		return fmt.Errorf("close caso: %w", err)
	}
	return nil
}
