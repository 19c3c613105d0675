package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// SyncCasosArgs asks to tell registros how Reportes of an institution stand. Running it twice,
// or two at once, is harmless, so it is not unique.
type SyncCasosArgs struct {
	EmpresaID tenant.EmpresaID `json:"empresa_id"`
	Reportes  []SyncReporte    `json:"reportes"`
}

// SyncReporte is one of them, and the trace that it belongs to; "": the job's.
type SyncReporte struct {
	Fila        uuid.UUID `json:"fila"`
	Traceparent string    `json:"traceparent,omitempty"`
}

// Kind names the job.
func (SyncCasosArgs) Kind() string { return "sync_casos" }

// syncMost bounds a job: one that has to run again does all of it again.
const syncMost = 50

// FinishCargaArgs asks to tell registros that the initial load of an institution is finished.
// Running it twice is harmless, so it is not unique.
type FinishCargaArgs struct {
	EmpresaID tenant.EmpresaID `json:"empresa_id"`
}

// Kind names the job.
func (FinishCargaArgs) Kind() string { return "finish_carga" }

// ResyncArgs asks to compare an institution's Reportes with the platform's list.
type ResyncArgs struct {
	EmpresaID tenant.EmpresaID `json:"empresa_id"`
}

// Kind names the job.
func (ResyncArgs) Kind() string { return "resync_reportes" }

// InsertOpts makes it one comparison an institution, however many ask for it.
func (ResyncArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: jobs.OneUnfinished()}
}

// ResyncAllArgs asks to compare every institution that can be.
type ResyncAllArgs struct{}

// Kind names the job.
func (ResyncAllArgs) Kind() string { return "resync_all" }

// InsertOpts makes it one at a time.
func (ResyncAllArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: jobs.OneUnfinished()}
}

// RiverQueue is the Queue on River.
type RiverQueue struct {
	Client *river.Client[pgx.Tx]
}

// Sync is a Reporte of which registros is to be told, and the trace that this belongs to; "":
// the one of the context.
type Sync struct {
	ReporteKey
	Traceparent string
}

// SyncCasos implements [Queue]. Those of an institution that come in a row share jobs: to store,
// take and end one costs more than what it asks for.
func (q *RiverQueue) SyncCasos(ctx context.Context, tx pgx.Tx, syncs []Sync) error {
	var params []river.InsertManyParams
	for len(syncs) > 0 {
		empresa := syncs[0].EmpresaID
		n := 1
		for n < min(len(syncs), syncMost) && syncs[n].EmpresaID == empresa {
			n++
		}
		params = append(params, syncJob(empresa, syncs[:n]))
		syncs = syncs[n:]
	}
	if len(params) == 0 {
		return nil
	}
	_, err := q.Client.InsertManyTx(ctx, tx, params)
	if err != nil {
		return fmt.Errorf("enqueue sync of casos: %w", err)
	}
	return nil
}

// syncJob belongs to the trace of a Reporte that it is for alone.
func syncJob(empresa tenant.EmpresaID, syncs []Sync) river.InsertManyParams {
	args := SyncCasosArgs{EmpresaID: empresa, Reportes: make([]SyncReporte, len(syncs))}
	for n, sync := range syncs {
		args.Reportes[n] = SyncReporte{Fila: sync.Fila, Traceparent: sync.Traceparent}
	}
	options := river.InsertOpts{}
	if len(syncs) == 1 {
		options.Metadata, args.Reportes[0].Traceparent = jobs.InTrace(syncs[0].Traceparent), ""
	}
	return river.InsertManyParams{Args: args, InsertOpts: &options}
}

// FinishCargas implements [Queue].
func (q *RiverQueue) FinishCargas(ctx context.Context, tx pgx.Tx, empresas []tenant.EmpresaID) error {
	params := make([]river.InsertManyParams, len(empresas))
	for i, empresa := range empresas {
		params[i].Args = FinishCargaArgs{EmpresaID: empresa}
	}
	_, err := q.Client.InsertManyTx(ctx, tx, params)
	if err != nil {
		return fmt.Errorf("enqueue ends of loads: %w", err)
	}
	return nil
}

// Resync asks for the comparison of these institutions, and tells which of them have
// one waiting or under way already.
func (q *RiverQueue) Resync(ctx context.Context, empresas []tenant.EmpresaID) (waiting []tenant.EmpresaID, err error) {
	if len(empresas) == 0 {
		return nil, nil
	}
	params := make([]river.InsertManyParams, len(empresas))
	for i, empresa := range empresas {
		params[i].Args = ResyncArgs{EmpresaID: empresa}
	}
	results, err := q.Client.InsertMany(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("enqueue resynchronisation: %w", err)
	}
	for i, result := range results {
		if result.UniqueSkippedAsDuplicate {
			waiting = append(waiting, empresas[i])
		}
	}
	return waiting, nil
}

// ResyncAll asks for the comparison of every institution.
func (q *RiverQueue) ResyncAll(ctx context.Context) error {
	_, err := q.Client.Insert(ctx, ResyncAllArgs{}, nil)
	if err != nil {
		return fmt.Errorf("enqueue resynchronisation: %w", err)
	}
	return nil
}
