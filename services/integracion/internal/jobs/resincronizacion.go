package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/pg"
)

const (
	// listsAtOnce bounds how many lists a replica reads at the same time, so that slow ones
	// leave workers to the others.
	listsAtOnce = 4
	// listPause is about how long to wait for another list to end.
	listPause = time.Second
)

type resyncWorker struct {
	river.WorkerDefaults[postgres.ResyncArgs]
	resincronizacion *resincronizacion.Resincronizacion
	db               *pg.DB
	reading          chan struct{} // a place for each list that is being read
}

// Timeout is long, because a list may be.
func (w *resyncWorker) Timeout(*river.Job[postgres.ResyncArgs]) time.Duration {
	return jobs.LongTimeout
}

// Work compares one institution. While the platform is away, or others are being compared, it
// gives the worker back.
func (w *resyncWorker) Work(ctx context.Context, job *river.Job[postgres.ResyncArgs]) error {
	select {
	case w.reading <- struct{}{}:
		defer func() { <-w.reading }()
	default:
		return river.JobSnooze(listPause)
	}
	var pause time.Duration
	err := jobs.Long(ctx, w.db, job.JobRow, func(ctx context.Context) error {
		var err error
		pause, err = w.resincronizacion.Run(ctx, job.Args.EmpresaID)
		return err
	})
	if err != nil {
		return jobs.Durable(ctx, job.JobRow, err)
	}
	if pause > 0 {
		return river.JobSnooze(pause)
	}
	return nil
}

type resyncAllWorker struct {
	river.WorkerDefaults[postgres.ResyncAllArgs]
	store *postgres.Store
	queue *postgres.RiverQueue
}

// Work asks for a job per institution, so that a slow one holds up no other.
func (w *resyncAllWorker) Work(ctx context.Context, job *river.Job[postgres.ResyncAllArgs]) error {
	return jobs.Durable(ctx, job.JobRow, w.enqueue(ctx))
}

func (w *resyncAllWorker) enqueue(ctx context.Context) error {
	all, err := w.store.ListEmpresas(ctx)
	if err != nil {
		return err
	}
	_, err = w.queue.Resync(ctx, cuentas.Comparables(all))
	return err
}
