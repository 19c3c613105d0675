package seguimiento

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// FinishCarga ends the initial load of an institution, and gives when that was first done: what
// waited for it is searched and told.
func (s *Seguimiento) FinishCarga(ctx context.Context, empresa tenant.EmpresaID) (time.Time, error) {
	err := s.checkEmpresa(ctx, empresa)
	if err != nil {
		return time.Time{}, err
	}
	terminada, err := s.Casos.FinishCarga(ctx, empresa)
	return terminada, s.recordCambio(ctx, bitacora.Asiento{EmpresaID: empresa, Accion: "carga_terminada"}, err)
}

// SearchAgain has phases 1 and 2 run again for an active Reporte. What was told already is not told
// again, nor is the end.
func (s *Seguimiento) SearchAgain(ctx context.Context, empresa tenant.EmpresaID, reporteID string) error {
	ciclos, err := s.Store.ListSeguidos(ctx, empresa, reporteID)
	if err != nil {
		return err
	}
	if len(ciclos) == 0 {
		return errSinReporte()
	}
	err = s.Casos.SearchAgain(ctx, empresa, reporteID, ciclos[0].Ciclo)
	return s.recordCambio(ctx, bitacora.Asiento{EmpresaID: empresa, Accion: "reporte_rebuscado", ReporteID: reporteID}, err)
}

// SearchAllAgain is SearchAgain for all active Reportes of an institution; it goes on behind.
func (s *Seguimiento) SearchAllAgain(ctx context.Context, empresa tenant.EmpresaID) error {
	err := s.checkEmpresa(ctx, empresa)
	if err != nil {
		return err
	}
	err = s.Casos.SearchAgain(ctx, empresa, "", 0)
	return s.recordCambio(ctx, bitacora.Asiento{EmpresaID: empresa, Accion: "reportes_rebuscados"}, err)
}

// recordCambio leaves the line of what registros was asked to change, with the reason if it
// refused, which it gives back. The caller may have gone.
func (s *Seguimiento) recordCambio(ctx context.Context, a bitacora.Asiento, reason error) error {
	a.Tipo = bitacora.AsientoCambio
	if reason != nil {
		a.Motivo = errores.Codigo(errs.MotivoOf(reason))
		reason = fmt.Errorf("ask registros: %w", reason)
	}
	return errors.Join(reason, s.Store.RecordAsiento(context.WithoutCancel(ctx), a))
}
