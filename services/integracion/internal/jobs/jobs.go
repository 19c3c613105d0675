// Package jobs is the work of integracion that goes on after an answer was given: telling
// registros how a Reporte stands, and sweeping what no limit looks at any more.
package jobs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/pg"
)

const (
	// unreachablePause is how long a job rests while registros is away.
	unreachablePause = 2 * time.Second
	// forgetEvery is how often old failures of logins are swept.
	forgetEvery = 10 * time.Minute
)

// Parts is what the jobs work with.
type Parts struct {
	Sincronia        *reportes.Sincronia
	Resincronizacion *resincronizacion.Resincronizacion
	Store            *postgres.Store
	DB               *pg.DB
	Queue            *postgres.RiverQueue
	Retencion        Retencion
	// Ventana is how long a wrong login counts.
	Ventana time.Duration
	// Metrics takes what the retention removed.
	Metrics prometheus.Registerer
}

// NewWorkers registers all jobs of integracion.
func NewWorkers(parts Parts) *jobs.Workers {
	workers := jobs.NewWorkers()
	jobs.Add(workers, &syncCasoWorker{sincronia: parts.Sincronia})
	jobs.Add(workers, &forgottenReportesWorker{store: parts.Store, sincronia: parts.Sincronia})
	jobs.Add(workers, &forgetLoginsWorker{store: parts.Store, ventana: parts.Ventana})
	jobs.Add(workers, &sealBitacoraWorker{store: parts.Store})
	addPurges(workers, purger{store: parts.Store, retencion: parts.Retencion, purged: newPurged(parts.Metrics)})
	jobs.Add(workers, &resincronizarWorker{resincronizacion: parts.Resincronizacion, db: parts.DB, reading: make(chan struct{}, listsAtOnce)})
	jobs.Add(workers, &resincronizarTodasWorker{store: parts.Store, queue: parts.Queue})
	return workers
}

// Periodic lists the jobs that run by the clock, on one replica at a time. Each replica
// asks for a resynchronisation at its own start; see package app.
func Periodic(resincronizacion time.Duration, retencion Retencion) []*river.PeriodicJob {
	return append(purges(retencion),
		jobs.Every(forgetEvery, forgetLoginsArgs{}),
		jobs.Every(sealEvery, sealBitacoraArgs{}),
		jobs.Every(forgottenReportesEvery, forgottenReportesArgs{}),
		river.NewPeriodicJob(
			river.PeriodicInterval(resincronizacion),
			func() (river.JobArgs, *river.InsertOpts) { return postgres.ResincronizarTodasArgs{}, nil },
			nil,
		),
	)
}

type syncCasoWorker struct {
	river.WorkerDefaults[postgres.SyncCasoArgs]
	sincronia *reportes.Sincronia
}

// Work tells registros. That registros is away is no failure: it costs a pause.
func (w *syncCasoWorker) Work(ctx context.Context, job *river.Job[postgres.SyncCasoArgs]) error {
	err := w.sincronia.SyncCaso(ctx, job.Args.EmpresaID, job.Args.Fila)
	if isAway(err) {
		return river.JobSnooze(unreachablePause)
	}
	return jobs.Durable(ctx, job.JobRow, err)
}

// isAway tells that registros, or a database, is away.
func isAway(err error) bool {
	return errs.Is(err, errores.NoDisponible) || errs.Is(err, errores.TiempoAgotado)
}

// forgetLoginsArgs asks to sweep old failures of logins.
type forgetLoginsArgs struct{}

// Kind names the job.
func (forgetLoginsArgs) Kind() string { return "forget_logins" }

type forgetLoginsWorker struct {
	river.WorkerDefaults[forgetLoginsArgs]
	store   *postgres.Store
	ventana time.Duration
}

func (w *forgetLoginsWorker) Work(ctx context.Context, _ *river.Job[forgetLoginsArgs]) error {
	return w.store.ForgetLoginFailures(ctx, w.ventana)
}
