package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// ProcessEventoArgs asks to process an event.
type ProcessEventoArgs struct {
	EmpresaID tenant.EmpresaID `json:"empresa_id"`
	EventoID  string           `json:"evento_id"`
}

// Kind names the job.
func (ProcessEventoArgs) Kind() string { return "process_evento" }

// InsertOpts makes it one job an event: of two, the slower one would hand over a content
// that a newer event of the folio has replaced meanwhile. A job that was taken for abandoned
// has been out of time for two seconds when another worker gets it: by then its call was
// cancelled in registros too, or has the record's row locked and comes first. What an unfinished
// job keeps out although it has just done its work (an event that was rejected while it was
// processed, mended at that very moment) the next sweep finds.
func (ProcessEventoArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: oneUnfinished()}
}

// ProcessEvento implements [Queue].
func (q *RiverQueue) ProcessEvento(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, id string) error {
	_, err := q.Client.InsertTx(ctx, tx, ProcessEventoArgs{EmpresaID: empresa, EventoID: id}, nil)
	if err != nil {
		return fmt.Errorf("enqueue evento: %w", err)
	}
	return nil
}
