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

// purgeReportesArgs asks to empty what was deactivated long ago.
type purgeReportesArgs struct{}

// Kind names the job.
func (purgeReportesArgs) Kind() string { return "purge_reportes" }

type purgeReportesWorker struct {
	river.WorkerDefaults[purgeReportesArgs]
	store     *postgres.Store
	retencion time.Duration
	purged    *prometheus.CounterVec
}

func (w *purgeReportesWorker) Work(ctx context.Context, job *river.Job[purgeReportesArgs]) error {
	purged, err := w.store.PurgeReportes(ctx, w.retencion)
	w.purged.WithLabelValues(nounReporte).Add(float64(purged.Reportes))
	w.purged.WithLabelValues(nounAviso).Add(float64(purged.Avisos))
	return jobs.Durable(ctx, job.JobRow, err)
}

// newPurged counts what the retention removed.
func newPurged(registerer prometheus.Registerer) *prometheus.CounterVec {
	return metrics.NewCounter(registerer, "enlace_purged_total",
		"Rows whose personal data was removed because its time was over, by noun.",
		metrics.Label{Name: "noun", Values: []string{nounReporte, nounAviso}})
}

const (
	nounReporte = "reporte"
	nounAviso   = "aviso"
)

// Purges lists the periodic jobs of a retention; 0 means for ever.
func Purges(retencion time.Duration) []*river.PeriodicJob {
	if retencion == 0 {
		return nil
	}
	return []*river.PeriodicJob{jobs.Every(purgeEvery, purgeReportesArgs{})}
}
