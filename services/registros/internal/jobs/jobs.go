// Package jobs is the work of registros that goes on after an answer was given: searching
// for a Caso, telling the platform, and looking after what may have been forgotten.
package jobs

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// deliveryBudget is how long one run of a delivery goes on before it lets others through;
// with one call to the platform at most (15 s) on top it ends within [jobs.Timeout].
const deliveryBudget = 2 * time.Second

// searchBudget is how long one run of a search goes on before it lets others through.
const searchBudget = 2 * time.Second

// How often forgotten work is looked for, besides at the start. To look for searches costs
// nothing unless there are some; a delivery that waits for the platform costs a little each time.
const (
	forgottenSearchesEvery   = time.Minute
	forgottenDeliveriesEvery = 10 * time.Minute
)

// NewWorkers registers all jobs of registros.
func NewWorkers(store *postgres.Store, plataforma registros.Plataforma, retencion registros.Retencion, registerer prometheus.Registerer) *jobs.Workers {
	workers := jobs.NewWorkers()
	purged := newPurged(registerer)
	jobs.Add(workers, &searchWorker{store: store})
	jobs.Add(workers, &deliverWorker{store: store, plataforma: plataforma, lag: newLag(registerer)})
	jobs.Add(workers, &searchForgottenWorker{store: store})
	jobs.Add(workers, &forgottenWorker{store: store})
	jobs.Add(workers, &purgeCasosWorker{store: store, retencion: retencion, purged: purged})
	jobs.Add(workers, &purgeRegistrosWorker{store: store, retencion: retencion, purged: purged})
	jobs.Add(workers, &purgeLotesWorker{store: store, retencion: retencion, purged: purged})
	return workers
}

// Periodic lists the jobs that run by the clock.
func Periodic(retencion registros.Retencion) []*river.PeriodicJob {
	return append(purges(retencion),
		jobs.Every(forgottenSearchesEvery, searchForgottenArgs{}), jobs.Every(forgottenDeliveriesEvery, forgottenArgs{}))
}

type searchWorker struct {
	river.WorkerDefaults[postgres.SearchCasoArgs]
	store *postgres.Store
}

func (w *searchWorker) Work(ctx context.Context, job *river.Job[postgres.SearchCasoArgs]) error {
	for started := time.Now(); time.Since(started) < searchBudget; {
		left, err := w.store.SearchCaso(ctx, job.Args.EmpresaID, job.Args.CasoID)
		if err != nil || !left {
			return jobs.Durable(ctx, job.JobRow, err)
		}
	}
	return river.JobSnooze(0)
}

type deliverWorker struct {
	river.WorkerDefaults[postgres.DeliverCasoArgs]
	store      *postgres.Store
	plataforma registros.Plataforma
	lag        *prometheus.HistogramVec
}

func (w *deliverWorker) Work(ctx context.Context, job *river.Job[postgres.DeliverCasoArgs]) error {
	return jobs.Durable(ctx, job.JobRow, w.deliver(ctx, job))
}

// deliver drains the Caso and ends the job only together with the proof that nothing is
// left; a pause gives the worker back until it is over.
func (w *deliverWorker) deliver(ctx context.Context, job *river.Job[postgres.DeliverCasoArgs]) error {
	pasos := postgres.Pasos{Store: w.store, Complete: func(ctx context.Context, tx pgx.Tx) error {
		return jobs.Complete(ctx, tx, job.JobRow)
	}}
	entrega := registros.Entrega{Store: measuredPasos{PasoStore: pasos, lag: w.lag}, Plataforma: w.plataforma, Budget: deliveryBudget}
	pause, drained, err := entrega.Drain(ctx, job.Args.EmpresaID, job.Args.CasoID)
	if err != nil || drained {
		return err
	}
	return river.JobSnooze(pause)
}

// searchForgottenArgs asks to go on with forgotten searches.
type searchForgottenArgs struct{}

// Kind names the job.
func (searchForgottenArgs) Kind() string { return "search_forgotten" }

type searchForgottenWorker struct {
	river.WorkerDefaults[searchForgottenArgs]
	store *postgres.Store
}

func (w *searchForgottenWorker) Work(ctx context.Context, job *river.Job[searchForgottenArgs]) error {
	return jobs.Sweep(ctx, job.JobRow, w.store.SearchForgotten)
}

// forgottenArgs asks to look for forgotten deliveries.
type forgottenArgs struct{}

// Kind names the job.
func (forgottenArgs) Kind() string { return "enqueue_forgotten" }

type forgottenWorker struct {
	river.WorkerDefaults[forgottenArgs]
	store *postgres.Store
}

func (w *forgottenWorker) Work(ctx context.Context, job *river.Job[forgottenArgs]) error {
	return jobs.Sweep(ctx, job.JobRow, w.store.EnqueueForgotten)
}
