package seguimiento

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Reintentables are the matches of an institution that can be told again.
type Reintentables string

// The sets, each told again for its own reason.
const (
	ReintentablesRechazadas Reintentables = "rechazadas" // by the platform, with 400
	ReintentablesAtascadas  Reintentables = "atascadas"  // see [entregas.Atasco]
	ReintentablesMultiples  Reintentables = "multiples"  // the platform answered 300
)

// Reintento is what became of them.
type Reintento struct {
	Reintentadas int
	// SinReintento are not told again because their Reporte is not active any more.
	SinReintento int
}

// RetryAll has all those matches of an institution told again; told to simulate it counts them.
// Stopped half-way it can be repeated: what was told again is among them no more.
func (s *Seguimiento) RetryAll(ctx context.Context, empresa tenant.EmpresaID, cuales Reintentables, simular bool) (Reintento, error) {
	var done Reintento
	var ids []string
	var err error
	switch cuales {
	case "", ReintentablesRechazadas:
		ids, done.SinReintento, err = s.rechazadas(ctx, empresa)
	case ReintentablesAtascadas, ReintentablesMultiples:
		err = s.checkEmpresa(ctx, empresa)
		if err == nil {
			ids, err = s.Store.ListReabribles(ctx, empresa, cuales)
		}
	default:
		err = errs.FiltroNoAdmitido("/cuales", "rechazadas, atascadas o multiples")
	}
	if err != nil {
		return done, err
	}
	done.Reintentadas = len(ids)
	if simular {
		return done, nil
	}
	for _, each := range ids {
		id, err := uuid.Parse(each)
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

// rechazadas are the ids of the refused matches of active Reportes, and how many others there are.
func (s *Seguimiento) rechazadas(ctx context.Context, empresa tenant.EmpresaID) (ids []string, others int, err error) {
	all, err := s.Hallazgos(ctx, Filtro{EmpresaID: empresa, Estado: envio.Rechazada})
	if err != nil {
		return nil, 0, err
	}
	activos, err := s.activos(ctx, empresa)
	if err != nil {
		return nil, 0, err
	}
	for _, h := range all {
		if activos[h.ReporteID] {
			ids = append(ids, h.ID)
		}
	}
	return ids, len(all) - len(ids), nil
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

// Retry has a match told again that the platform refused, does not take or answered 300. Both
// services must agree: the Envío is reopened here first, since registros asks to tell it at once.
// Stopped half-way it can be repeated, and until then nothing is told.
func (s *Seguimiento) Retry(ctx context.Context, empresa tenant.EmpresaID, id uuid.UUID) error {
	return s.change(ctx, empresa, id, s.Store.ReopenEnvio)
}

// Skip takes a match for refused that the platform does not take. registros learns it in the same
// way, by asking to tell it at once.
func (s *Seguimiento) Skip(ctx context.Context, empresa tenant.EmpresaID, id uuid.UUID) error {
	return s.change(ctx, empresa, id, s.Store.SkipEnvio)
}

// changer changes an Envío.
type changer func(ctx context.Context, e entregas.Envio) error

func (s *Seguimiento) change(ctx context.Context, empresa tenant.EmpresaID, id uuid.UUID, here changer) error {
	err := here(ctx, entregas.Coincidencia{EmpresaID: empresa, ID: id}.Envio())
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
	return s.changeFin(ctx, empresa, reporteID, s.Store.ReopenEnvio)
}

// SkipFin takes the end of a search for refused that the platform does not take.
func (s *Seguimiento) SkipFin(ctx context.Context, empresa tenant.EmpresaID, reporteID string) error {
	return s.changeFin(ctx, empresa, reporteID, s.Store.SkipEnvio)
}

func (s *Seguimiento) changeFin(ctx context.Context, empresa tenant.EmpresaID, reporteID string, here changer) error {
	ciclos, err := s.Store.ListSeguidos(ctx, empresa, reporteID)
	if err != nil {
		return err
	}
	if len(ciclos) == 0 {
		return errSinReporte()
	}
	ciclo := ciclos[0].Ciclo
	err = here(ctx, entregas.Finalizacion{EmpresaID: empresa, ReporteID: reporteID, Ciclo: ciclo}.Envio())
	if err != nil {
		return err
	}
	err = s.Casos.RetryFin(ctx, empresa, reporteID, ciclo)
	if err != nil {
		return fmt.Errorf("ask registros: %w", err)
	}
	return nil
}
