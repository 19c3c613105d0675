package seguimiento

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Reintento is what became of an institution's refused matches.
type Reintento struct {
	Reintentadas int
	// SinReintento are not told again because their Reporte is not active any more.
	SinReintento int
}

// RetryAll has all refused matches of an institution told again; told to simulate it counts
// them. Stopped half-way it can be repeated: what was told again is refused no more.
func (s *Seguimiento) RetryAll(ctx context.Context, empresa tenant.EmpresaID, simular bool) (Reintento, error) {
	var done Reintento
	rechazadas, err := s.Hallazgos(ctx, Filtro{EmpresaID: empresa, Estado: envio.Rechazada})
	if err != nil {
		return done, err
	}
	activos, err := s.activos(ctx, empresa)
	if err != nil {
		return done, err
	}
	for _, h := range rechazadas {
		if !activos[h.ReporteID] {
			done.SinReintento++
			continue
		}
		done.Reintentadas++
		if simular {
			continue
		}
		id, err := uuid.Parse(h.ID)
		if err != nil {
			return done, fmt.Errorf("read id of a coincidencia: %w", err)
		}
		err = s.Retry(ctx, empresa, id)
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// activos are the ids of an institution's active Reportes.
func (s *Seguimiento) activos(ctx context.Context, empresa tenant.EmpresaID) (map[string]bool, error) {
	all, err := s.Store.ListSeguidos(ctx, empresa, "")
	activos := map[string]bool{}
	for _, r := range all {
		if r.Estado == reportes.ReporteActivo {
			activos[r.ReporteID] = true
		}
	}
	return activos, err
}

// Retry has a match told again that the platform refused. Both services must agree: the
// Envío is reopened here first, since registros asks to tell it at once. Stopped half-way it
// can be repeated, and until then nothing is told.
func (s *Seguimiento) Retry(ctx context.Context, empresa tenant.EmpresaID, id uuid.UUID) error {
	err := s.Store.ReopenEnvio(ctx, entregas.Coincidencia{EmpresaID: empresa, ID: id}.Envio())
	if err != nil {
		return err
	}
	err = s.Casos.RetryCoincidencia(ctx, empresa, id)
	if err != nil {
		return fmt.Errorf("ask registros: %w", err)
	}
	return nil
}

// RetryFin has the end of a search told again that the platform refused, in the same way.
func (s *Seguimiento) RetryFin(ctx context.Context, empresa tenant.EmpresaID, reporteID string) error {
	ciclos, err := s.Store.ListSeguidos(ctx, empresa, reporteID)
	if err != nil {
		return err
	}
	if len(ciclos) == 0 {
		return errSinReporte()
	}
	ciclo := ciclos[0].Ciclo
	err = s.Store.ReopenEnvio(ctx, entregas.Finalizacion{EmpresaID: empresa, ReporteID: reporteID, Ciclo: ciclo}.Envio())
	if err != nil {
		return err
	}
	err = s.Casos.RetryFin(ctx, empresa, reporteID, ciclo)
	if err != nil {
		return fmt.Errorf("ask registros: %w", err)
	}
	return nil
}
