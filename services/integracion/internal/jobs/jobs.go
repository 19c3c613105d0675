// Package jobs is the work of integracion that goes on after an answer was given: telling
// registros how a Reporte stands, and sweeping what no limit looks at any more.
package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"golang.org/x/sync/errgroup"

	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/integracion/internal/tokens"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/process/tracing"
)

const (
	// unreachablePause is how long a job rests while registros is away.
	unreachablePause = 2 * time.Second
	// forgetEvery is how often old failures of logins and voided tokens are swept.
	forgetEvery = 10 * time.Minute
	// voidedFor is how long a voided token is remembered: longer than it would have lived, by a
	// clock that is late.
	voidedFor = 2 * tokens.Life
)

// Parts is what the jobs work with.
type Parts struct {
	Sincronia        *reportes.Sincronia
	Resincronizacion *resincronizacion.Resincronizacion
	// FinishCarga tells registros that an institution has nothing to load.
	FinishCarga func(ctx context.Context, empresa tenant.EmpresaID) (time.Time, error)
	Store       *postgres.Store
	DB          *pg.DB
	Queue       *postgres.RiverQueue
	// Retencion is how long after its end a Reporte's personal data is kept. 0: for ever.
	Retencion time.Duration
	// Ventana is how long a wrong login counts.
	Ventana time.Duration
	// Comparacion is how often each institution is compared with the platform's list. Each
	// replica asks for it at its own start, too; see package app.
	Comparacion time.Duration
	// Metrics takes what the retention removed.
	Metrics prometheus.Registerer
}

// NewWorkers registers all jobs of integracion.
func NewWorkers(parts Parts) *jobs.Workers {
	workers := jobs.NewWorkers()
	jobs.Add(workers, &syncCasosWorker{sincronia: parts.Sincronia})
	jobs.Add(workers, &finishCargaWorker{finish: parts.FinishCarga})
	jobs.AddSweep(workers, "enqueue_forgotten_reportes", forgottenReportesEvery, forgotten{store: parts.Store, sincronia: parts.Sincronia}.tell)
	jobs.AddSweep(workers, "forget_logins", forgetEvery, loginForgetter{store: parts.Store, ventana: parts.Ventana}.forget)
	jobs.AddSweep(workers, "seal_bitacora", sealEvery, sealer{store: parts.Store}.seal)
	addPurges(workers, purger{store: parts.Store, retencion: parts.Retencion, purged: jobs.NewPurged(parts.Metrics, nounReporte, nounAviso, nounEvento)})
	jobs.Add(workers, &resyncWorker{resincronizacion: parts.Resincronizacion, db: parts.DB, reading: make(chan struct{}, listsAtOnce)})
	jobs.Add(workers, &resyncAllWorker{store: parts.Store, queue: parts.Queue})
	workers.Periodically(river.NewPeriodicJob(river.PeriodicInterval(parts.Comparacion),
		func() (river.JobArgs, *river.InsertOpts) { return postgres.ResyncAllArgs{}, nil }, nil))
	return workers
}

// syncsAtOnce is how many Reportes of one job registros is told at the same time; it does together
// what comes together.
const syncsAtOnce = 10

type syncCasosWorker struct {
	river.WorkerDefaults[postgres.SyncCasosArgs]
	sincronia *reportes.Sincronia
}

// Work tells registros. If one is not taken, all are told again, which changes nothing for the
// others.
func (w *syncCasosWorker) Work(ctx context.Context, job *river.Job[postgres.SyncCasosArgs]) error {
	var telling errgroup.Group
	telling.SetLimit(syncsAtOnce)
	for _, each := range job.Args.Reportes {
		telling.Go(func() (err error) {
			defer func() {
				if panicked := recover(); panicked != nil { // River's own recovery does not reach in here
					err = fmt.Errorf("sync of reporte %s: %w", each.Fila, errs.Recovered(panicked))
				}
			}()
			return w.sincronia.SyncCaso(tracing.WithParent(ctx, each.Traceparent), job.Args.EmpresaID, each.Fila)
		})
	}
	return toldRegistros(ctx, job.JobRow, telling.Wait())
}

// toldRegistros ends a job that told registros something. That registros is away is no failure:
// it costs a pause.
func toldRegistros(ctx context.Context, job *rivertype.JobRow, err error) error {
	if errs.Away(err) {
		return river.JobSnooze(unreachablePause)
	}
	return jobs.Durable(ctx, job, err)
}

type finishCargaWorker struct {
	river.WorkerDefaults[postgres.FinishCargaArgs]
	finish func(ctx context.Context, empresa tenant.EmpresaID) (time.Time, error)
}

func (w *finishCargaWorker) Work(ctx context.Context, job *river.Job[postgres.FinishCargaArgs]) error {
	_, err := w.finish(ctx, job.Args.EmpresaID)
	return toldRegistros(ctx, job.JobRow, err)
}

// A loginForgetter sweeps the failures of logins that no longer count, and the voided tokens that
// are over.
type loginForgetter struct {
	store   *postgres.Store
	ventana time.Duration
}

func (f loginForgetter) forget(ctx context.Context, from struct{}) (next struct{}, last bool, err error) {
	err = f.store.ForgetLoginFailures(ctx, f.ventana)
	if err != nil {
		return from, false, err
	}
	return from, true, f.store.ForgetTokens(ctx, voidedFor)
}
