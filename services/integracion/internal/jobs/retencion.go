package jobs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/metrics"
)

// purgeEvery is how often data is looked for whose time is over.
const purgeEvery = 6 * time.Hour

// Retencion is how long things are kept.
type Retencion struct {
	// Reportes is how long after its end a Reporte's personal data is. 0: for ever.
	Reportes time.Duration
	// Eventos is how long after its arrival an event's id is.
	Eventos time.Duration
}

// purgeReportesArgs asks to empty what was deactivated long ago.
type purgeReportesArgs struct{}

// Kind names the job.
func (purgeReportesArgs) Kind() string { return "purge_reportes" }

// purgeAvisosArgs asks to empty the notices of it.
type purgeAvisosArgs struct{}

// Kind names the job.
func (purgeAvisosArgs) Kind() string { return "purge_avisos" }

// purgeEventosArgs asks to forget the ids of old events.
type purgeEventosArgs struct{}

// Kind names the job.
func (purgeEventosArgs) Kind() string { return "purge_eventos" }

// purger is what the purges share.
type purger struct {
	store     *postgres.Store
	retencion Retencion
	purged    *prometheus.CounterVec
}

type purgeReportesWorker struct {
	river.WorkerDefaults[purgeReportesArgs]
	purger
}

func (w *purgeReportesWorker) Work(ctx context.Context, job *river.Job[purgeReportesArgs]) error {
	return jobs.Sweep(ctx, job.JobRow, func(ctx context.Context, from struct{}) (struct{}, bool, error) {
		purged, last, err := w.store.PurgeReportes(ctx, w.retencion.Reportes)
		w.purged.WithLabelValues(nounReporte).Add(float64(purged))
		return from, last, err
	})
}

type purgeAvisosWorker struct {
	river.WorkerDefaults[purgeAvisosArgs]
	purger
}

func (w *purgeAvisosWorker) Work(ctx context.Context, job *river.Job[purgeAvisosArgs]) error {
	return jobs.Sweep(ctx, job.JobRow, func(ctx context.Context, from postgres.AvisoKey) (postgres.AvisoKey, bool, error) {
		purged, next, last, err := w.store.PurgeAvisos(ctx, from, w.retencion.Reportes)
		w.purged.WithLabelValues(nounAviso).Add(float64(purged))
		return next, last, err
	})
}

type purgeEventosWorker struct {
	river.WorkerDefaults[purgeEventosArgs]
	purger
}

func (w *purgeEventosWorker) Work(ctx context.Context, job *river.Job[purgeEventosArgs]) error {
	return jobs.Sweep(ctx, job.JobRow, func(ctx context.Context, from struct{}) (struct{}, bool, error) {
		purged, last, err := w.store.PurgeEventos(ctx, w.retencion.Eventos)
		w.purged.WithLabelValues(nounEvento).Add(float64(purged))
		return from, last, err
	})
}

// addPurges registers the jobs that remove what is kept no longer.
func addPurges(workers *jobs.Workers, p purger) {
	jobs.Add(workers, &purgeReportesWorker{purger: p})
	jobs.Add(workers, &purgeAvisosWorker{purger: p})
	jobs.Add(workers, &purgeEventosWorker{purger: p})
}

// newPurged counts what the retention removed.
func newPurged(registerer prometheus.Registerer) *prometheus.CounterVec {
	return metrics.NewCounter(registerer, "enlace_purged_total",
		"Rows that were removed, or whose personal data was, because their time was over, by noun.",
		metrics.Label{Name: "noun", Values: []string{nounReporte, nounAviso, nounEvento}})
}

const (
	nounReporte = "reporte"
	nounAviso   = "aviso"
	nounEvento  = "evento"
)

// purges lists the periodic jobs of a retention.
func purges(retencion Retencion) []*river.PeriodicJob {
	all := []*river.PeriodicJob{jobs.Every(purgeEvery, purgeEventosArgs{})}
	if retencion.Reportes > 0 {
		all = append(all, jobs.Every(purgeEvery, purgeReportesArgs{}), jobs.Every(purgeEvery, purgeAvisosArgs{}))
	}
	return all
}
