package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// SearchCasoArgs asks for the search of a Caso: phases 1 and 2. Running it twice is
// harmless, so it is not unique.
type SearchCasoArgs struct {
	EmpresaID tenant.EmpresaID `json:"empresa_id"`
	CasoID    registros.CasoID `json:"caso_id"`
}

// Kind names the job.
func (SearchCasoArgs) Kind() string { return "search_caso" }

// SearchEmpresaArgs asks for the searches of an institution's Casos that waited for the end of its
// load, or that are all to be run again.
type SearchEmpresaArgs struct {
	EmpresaID tenant.EmpresaID `json:"empresa_id"`
}

// Kind names the job.
func (SearchEmpresaArgs) Kind() string { return "search_empresa" }

// DeliverCasoArgs asks to tell the platform what is pending of a Caso.
type DeliverCasoArgs struct {
	EmpresaID tenant.EmpresaID `json:"empresa_id"`
	CasoID    registros.CasoID `json:"caso_id"`
}

// Kind names the job.
func (DeliverCasoArgs) Kind() string { return "deliver_caso" }

// InsertOpts makes it one delivery a Caso: order is kept because there is nobody to
// overtake. A finished one does not stand in the way of the next.
func (DeliverCasoArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: jobs.OneUnfinished()}
}

// RiverQueue is the Queue on River.
type RiverQueue struct {
	Client *river.Client[pgx.Tx]
}

// SearchCasos implements [Queue].
func (q *RiverQueue) SearchCasos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID) error {
	_, err := q.insert(ctx, tx, casos, func(caso registros.CasoID) river.JobArgs {
		return SearchCasoArgs{EmpresaID: empresa, CasoID: caso}
	})
	if err != nil {
		return fmt.Errorf("enqueue searches: %w", err)
	}
	return nil
}

// SearchEmpresa implements [Queue].
func (q *RiverQueue) SearchEmpresa(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID) error {
	_, err := q.Client.InsertTx(ctx, tx, SearchEmpresaArgs{EmpresaID: empresa}, nil)
	if err != nil {
		return fmt.Errorf("enqueue searches of an empresa: %w", err)
	}
	return nil
}

// DeliverCasos implements [Queue].
func (q *RiverQueue) DeliverCasos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID) error {
	_, err := q.deliver(ctx, tx, empresa, casos)
	return err
}

// HurryCasos implements [Queue].
func (q *RiverQueue) HurryCasos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID) error {
	enqueued, err := q.deliver(ctx, tx, empresa, casos)
	if err != nil {
		return err
	}
	var waiting []int64
	for _, each := range enqueued {
		if each.UniqueSkippedAsDuplicate {
			waiting = append(waiting, each.Job.ID)
		}
	}
	return jobs.Hurry(ctx, tx, waiting)
}

func (q *RiverQueue) deliver(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID) ([]*rivertype.JobInsertResult, error) {
	enqueued, err := q.insert(ctx, tx, casos, func(caso registros.CasoID) river.JobArgs {
		return DeliverCasoArgs{EmpresaID: empresa, CasoID: caso}
	})
	if err != nil {
		return nil, fmt.Errorf("enqueue deliveries: %w", err)
	}
	return enqueued, nil
}

// FollowAperturas implements [Queue].
func (q *RiverQueue) FollowAperturas(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, abiertos []*Apertura) error {
	if len(abiertos) == 0 {
		return nil
	}
	params := make([]river.InsertManyParams, len(abiertos))
	for n, a := range abiertos {
		options := river.InsertOpts{Metadata: jobs.InTrace(a.Traceparent)}
		if !a.Buscado {
			params[n] = river.InsertManyParams{Args: SearchCasoArgs{EmpresaID: empresa, CasoID: a.Caso}, InsertOpts: &options}
			continue
		}
		if a.AvisarDesde().After(time.Now()) {
			options.ScheduledAt = jobs.Gathered(a.AvisarDesde())
		}
		params[n] = river.InsertManyParams{Args: DeliverCasoArgs{EmpresaID: empresa, CasoID: a.Caso}, InsertOpts: &options}
	}
	_, err := q.Client.InsertManyTx(ctx, tx, params)
	if err != nil {
		return fmt.Errorf("enqueue what follows on casos: %w", err)
	}
	return nil
}

// insert enqueues one job a Caso, all in one statement.
func (q *RiverQueue) insert(ctx context.Context, tx pgx.Tx, casos []registros.CasoID, argsOf func(registros.CasoID) river.JobArgs) ([]*rivertype.JobInsertResult, error) {
	if len(casos) == 0 {
		return nil, nil
	}
	params := make([]river.InsertManyParams, len(casos))
	for i, caso := range casos {
		params[i].Args = argsOf(caso)
	}
	return q.Client.InsertManyTx(ctx, tx, params)
}
