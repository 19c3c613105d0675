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

// purgeEvery is how often data is looked for whose time is over.
const purgeEvery = 6 * time.Hour

// purgeCasosArgs asks to empty what was closed long ago.
type purgeCasosArgs struct{}

// Kind names the job.
func (purgeCasosArgs) Kind() string { return "purge_casos" }

// purgeRegistrosArgs asks to delete the Registros that no search looks at any more.
type purgeRegistrosArgs struct{}

// Kind names the job.
func (purgeRegistrosArgs) Kind() string { return "purge_registros" }

// purgeLotesArgs asks to forget the batches that are older than any Registro that is kept.
type purgeLotesArgs struct{}

// Kind names the job.
func (purgeLotesArgs) Kind() string { return "purge_lotes" }

// purges lists the periodic jobs of a retention; what is kept for ever has none.
func purges(r registros.Retencion) []*river.PeriodicJob {
	var all []*river.PeriodicJob
	if r.Casos > 0 {
		all = append(all, jobs.Every(purgeEvery, purgeCasosArgs{}))
	}
	if r.Registros > 0 {
		all = append(all, jobs.Every(purgeEvery, purgeRegistrosArgs{}), jobs.Every(purgeEvery, purgeLotesArgs{}))
	}
	return all
}

type purgeCasosWorker struct {
	river.WorkerDefaults[purgeCasosArgs]
	store     *postgres.Store
	retencion registros.Retencion
	purged    *prometheus.CounterVec
}

func (w *purgeCasosWorker) Work(ctx context.Context, job *river.Job[purgeCasosArgs]) error {
	return jobs.Sweep(ctx, job.JobRow, func(ctx context.Context, from struct{}) (struct{}, bool, error) {
		purged, last, err := w.store.PurgeCasos(ctx, w.retencion.Casos)
		w.purged.WithLabelValues(nounCaso).Add(float64(purged))
		return from, last, err
	})
}

type purgeRegistrosWorker struct {
	river.WorkerDefaults[purgeRegistrosArgs]
	store     *postgres.Store
	retencion registros.Retencion
	purged    *prometheus.CounterVec
}

func (w *purgeRegistrosWorker) Work(ctx context.Context, job *river.Job[purgeRegistrosArgs]) error {
	return jobs.Sweep(ctx, job.JobRow, func(ctx context.Context, from int64) (int64, bool, error) {
		next, deleted, last, err := w.store.PurgeRegistros(ctx, w.retencion.RegistrosDesde(time.Now()), from)
		w.purged.WithLabelValues(nounRegistro).Add(float64(deleted))
		return next, last, err
	})
}

type purgeLotesWorker struct {
	river.WorkerDefaults[purgeLotesArgs]
	store     *postgres.Store
	retencion registros.Retencion
	purged    *prometheus.CounterVec
}

func (w *purgeLotesWorker) Work(ctx context.Context, job *river.Job[purgeLotesArgs]) error {
	return jobs.Sweep(ctx, job.JobRow, func(ctx context.Context, from struct{}) (struct{}, bool, error) {
		purged, last, err := w.store.PurgeLotes(ctx, time.Now().Add(-w.retencion.Registros))
		w.purged.WithLabelValues(nounLote).Add(float64(purged))
		return from, last, err
	})
}
