package jobs

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

const (
	// forgottenReportesEvery is how often registros is told again how the Reportes stand,
	// besides at the start. Each costs a call.
	forgottenReportesEvery = 6 * time.Hour
	// forgottenBatch is how long one batch of them may take.
	forgottenBatch = time.Second
)

// forgotten tells registros again how every Reporte stands that is active or ended lately.
// Each was told when it changed; this is the net beneath, for a job that an operator deleted.
type forgotten struct {
	store     *postgres.Store
	sincronia *reportes.Sincronia
}

// tell calls registros itself, since a job for each would run as fast as the machine can.
func (f forgotten) tell(ctx context.Context, from postgres.ReporteKey) (next postgres.ReporteKey, last bool, err error) {
	started := time.Now()
	page, last, err := f.store.PageOfReportes(ctx, from)
	if err != nil {
		return from, false, err
	}
	for _, r := range page {
		if time.Since(started) > forgottenBatch {
			return from, false, nil
		}
		if r.Vigente {
			err = f.sync(ctx, r.ReporteKey)
			if err != nil {
				return from, false, err
			}
		}
		from = r.ReporteKey
	}
	return from, last, nil
}

// sync passes over a Reporte that registros does not take: it must not keep the others from
// being told.
func (f forgotten) sync(ctx context.Context, key postgres.ReporteKey) error {
	err := f.sincronia.SyncCaso(ctx, key.EmpresaID, key.Fila)
	if errs.Away(err) {
		return river.JobSnooze(unreachablePause)
	}
	if err != nil && ctx.Err() == nil {
		slog.ErrorContext(ctx, "reporte not told again", "empresa_id", key.EmpresaID, "reporte_fila", key.Fila, "error", err)
		return nil
	}
	return err
}
