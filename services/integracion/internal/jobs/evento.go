package jobs

import (
	"context"

	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/integracion/internal/integracion"
	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/jobs"
)

type processEventoWorker struct {
	river.WorkerDefaults[postgres.ProcessEventoArgs]
	eventos *integracion.Eventos
}

// Work hands the record to registros. That registros is away is no failure: it costs a
// pause.
func (w *processEventoWorker) Work(ctx context.Context, job *river.Job[postgres.ProcessEventoArgs]) error {
	err := w.eventos.Process(ctx, job.Args.EmpresaID, job.Args.EventoID)
	if errs.Is(err, errs.NoDisponible) || errs.Is(err, errs.TiempoAgotado) {
		return river.JobSnooze(unreachablePause)
	}
	return jobs.Durable(ctx, job.JobRow, err)
}
