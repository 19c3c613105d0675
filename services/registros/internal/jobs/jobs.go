// Package jobs is the work of registros that goes on after an answer was given: searching
// for a Caso, telling the platform, and looking after what may have been forgotten.
package jobs

import (
	"context"
	"time"

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
	jobs.Add(workers, &searchWorker{store: store})
	jobs.Add(workers, &searchEmpresaWorker{store: store})
	jobs.Add(workers, &deliverWorker{store: store, plataforma: plataforma, lag: newLag(registerer)})
	jobs.AddSweep(workers, "search_forgotten", forgottenSearchesEvery, store.SearchForgotten)
	jobs.AddSweep(workers, "enqueue_forgotten", forgottenDeliveriesEvery, store.EnqueueForgotten)
	addPurges(workers, purger{store: store, retencion: retencion, purged: jobs.NewPurged(registerer, nounCaso, nounRegistro, nounLote)})
	return workers
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

// searchEmpresaBudget is longer than searchBudget: each run looks again for where the last one
// stopped. With one search on top it ends within [jobs.Timeout].
const searchEmpresaBudget = 10 * time.Second

type searchEmpresaWorker struct {
	river.WorkerDefaults[postgres.SearchEmpresaArgs]
	store *postgres.Store
}

func (w *searchEmpresaWorker) Work(ctx context.Context, job *river.Job[postgres.SearchEmpresaArgs]) error {
	var from registros.CasoID
	for started := time.Now(); time.Since(started) < searchEmpresaBudget; {
		next, last, err := w.store.SearchEmpresa(ctx, job.Args.EmpresaID, from)
		if err != nil || last {
			return jobs.Durable(ctx, job.JobRow, err)
		}
		from = next
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
	pasos := postgres.Pasos{Store: w.store, Job: job.JobRow}
	entrega := registros.Entrega{Store: measuredPasos{PasoStore: pasos, lag: w.lag}, Plataforma: w.plataforma, Budget: deliveryBudget}
	pause, drained, err := entrega.Drain(ctx, job.Args.EmpresaID, job.Args.CasoID)
	if err != nil || drained {
		return err
	}
	return river.JobSnooze(pause)
}
