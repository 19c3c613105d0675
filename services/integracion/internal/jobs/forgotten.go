package jobs

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/jobs"
)

const (
	// forgottenReportesEvery is how often registros is told again how the Reportes stand,
	// besides at the start. Each costs a call.
	forgottenReportesEvery = 6 * time.Hour
	// forgottenBatch is how long one batch of them may take.
	forgottenBatch = time.Second
)

// forgottenReportesArgs asks to tell registros again how every Reporte stands that is active
// or ended lately. Each was told when it changed; this is the net beneath, for a job that an
// operator deleted.
type forgottenReportesArgs struct{}

// Kind names the job.
func (forgottenReportesArgs) Kind() string { return "enqueue_forgotten_reportes" }

type forgottenReportesWorker struct {
	river.WorkerDefaults[forgottenReportesArgs]
	store     *postgres.Store
	sincronia *reportes.Sincronia
}

// Work calls registros itself, since a job for each would run as fast as the machine can.
func (w *forgottenReportesWorker) Work(ctx context.Context, job *river.Job[forgottenReportesArgs]) error {
	return jobs.Sweep(ctx, job.JobRow, w.batch)
}

func (w *forgottenReportesWorker) batch(ctx context.Context, from postgres.ReporteKey) (next postgres.ReporteKey, last bool, err error) {
	started := time.Now()
	page, last, err := w.store.PageOfReportes(ctx, from)
	if err != nil {
		return from, false, err
	}
	for _, r := range page {
		if time.Since(started) > forgottenBatch {
			return from, false, nil
		}
		if r.Vigente {
			err = w.sync(ctx, r.ReporteKey)
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
func (w *forgottenReportesWorker) sync(ctx context.Context, key postgres.ReporteKey) error {
	err := w.sincronia.SyncCaso(ctx, key.EmpresaID, key.Fila)
	if isAway(err) {
		return river.JobSnooze(unreachablePause)
	}
	if err != nil && ctx.Err() == nil {
		slog.ErrorContext(ctx, "reporte not told again", "empresa_id", key.EmpresaID, "reporte_fila", key.Fila, "error", err)
		return nil
	}
	return err
}
