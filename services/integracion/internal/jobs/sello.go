package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// sealEvery bounds for how long an entry of the Bitácora is not chained; what is exported is
// chained before.
const sealEvery = time.Minute

// sealBitacoraArgs asks to chain what was written to the Bitácora.
type sealBitacoraArgs struct{}

// Kind names the job.
func (sealBitacoraArgs) Kind() string { return "seal_bitacora" }

type sealBitacoraWorker struct {
	river.WorkerDefaults[sealBitacoraArgs]
	store *postgres.Store
}

// Work goes over the institutions that have something to be chained, once.
func (w *sealBitacoraWorker) Work(ctx context.Context, job *river.Job[sealBitacoraArgs]) error {
	return jobs.Sweep(ctx, job.JobRow, func(ctx context.Context, after tenant.EmpresaID) (tenant.EmpresaID, bool, error) {
		next, err := w.store.NextSinSellar(ctx, after)
		if err != nil || next == "" {
			return after, true, err
		}
		last, err := w.store.Seal(ctx, next)
		if err != nil || last {
			return next, false, err
		}
		return after, false, nil // there is more of the same one
	})
}
