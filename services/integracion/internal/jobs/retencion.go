package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/internal/jobs"
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
}

func (w *purgeReportesWorker) Work(ctx context.Context, job *river.Job[purgeReportesArgs]) error {
	return jobs.Durable(ctx, job.JobRow, w.store.PurgeReportes(ctx, w.retencion))
}

// Purges lists the periodic jobs of a retention; 0 means for ever.
func Purges(retencion time.Duration) []*river.PeriodicJob {
	if retencion == 0 {
		return nil
	}
	return []*river.PeriodicJob{river.NewPeriodicJob(
		river.PeriodicInterval(purgeEvery),
		func() (river.JobArgs, *river.InsertOpts) { return purgeReportesArgs{}, nil },
		&river.PeriodicJobOpts{RunOnStart: true},
	)}
}
