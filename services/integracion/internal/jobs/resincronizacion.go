package jobs

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
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
	var ids []tenant.EmpresaID
	for _, e := range all {
		if e.CanCallPlataforma() {
			ids = append(ids, e.ID)
		}
	}
	_, err = w.queue.Resync(ctx, ids)
	return err
}

// Recuperaciones asks for a resynchronisation of each institution whose platform is back:
// what it sent meanwhile may not have reached us.
type Recuperaciones struct {
	queue   *postgres.RiverQueue
	log     *slog.Logger
	waiting chan tenant.EmpresaID
}

// waitingRecuperaciones is how many may wait to be asked for; more are dropped, since the
// schedule comes to them too.
const waitingRecuperaciones = 256

// NewRecuperaciones makes a Recuperaciones; Run does its work.
func NewRecuperaciones(queue *postgres.RiverQueue, log *slog.Logger) *Recuperaciones {
	return &Recuperaciones{queue: queue, log: log, waiting: make(chan tenant.EmpresaID, waitingRecuperaciones)}
}

// Recovered takes note of an institution without waiting.
func (r *Recuperaciones) Recovered(empresa tenant.EmpresaID) {
	select {
	case r.waiting <- empresa:
	default:
	}
}

// Run asks for the jobs until ctx ends.
func (r *Recuperaciones) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case empresa := <-r.waiting:
			_, err := r.queue.Resync(ctx, []tenant.EmpresaID{empresa})
			if err != nil && ctx.Err() == nil {
				r.log.WarnContext(ctx, "resynchronisation after an outage not asked for", "empresa_id", empresa, "error", err)
			}
		}
	}
}
