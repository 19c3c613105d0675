package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/internal/jobs"
)

// How often forgotten work is looked for, besides at the start. Each Reporte that is looked
// after costs a call to registros, an event costs nothing unless it was forgotten.
const (
	forgottenReportesEvery = 6 * time.Hour
	forgottenEventosEvery  = time.Minute
)

// forgottenReportesArgs asks to tell registros again how the Reportes stand.
type forgottenReportesArgs struct{}

// Kind names the job.
func (forgottenReportesArgs) Kind() string { return "enqueue_forgotten_reportes" }

type forgottenReportesWorker struct {
	river.WorkerDefaults[forgottenReportesArgs]
	store *postgres.Store
}

func (w *forgottenReportesWorker) Work(ctx context.Context, job *river.Job[forgottenReportesArgs]) error {
	return jobs.Durable(ctx, job.JobRow, w.store.EnqueueForgottenReportes(ctx))
}

// forgottenEventosArgs asks to look for events that nobody processes.
type forgottenEventosArgs struct{}

// Kind names the job.
func (forgottenEventosArgs) Kind() string { return "enqueue_forgotten_eventos" }

type forgottenEventosWorker struct {
	river.WorkerDefaults[forgottenEventosArgs]
	store *postgres.Store
}

func (w *forgottenEventosWorker) Work(ctx context.Context, job *river.Job[forgottenEventosArgs]) error {
	return jobs.Durable(ctx, job.JobRow, w.store.EnqueueForgottenEventos(ctx))
}
