package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// ProcessEventoArgs asks to process an event. Running it twice is harmless.
type ProcessEventoArgs struct {
	EmpresaID tenant.EmpresaID `json:"empresa_id"`
	EventoID  string           `json:"evento_id"`
}

// Kind names the job.
func (ProcessEventoArgs) Kind() string { return "process_evento" }

// ProcessEvento implements [Queue].
func (q *RiverQueue) ProcessEvento(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, id string) error {
	_, err := q.Client.InsertTx(ctx, tx, ProcessEventoArgs{EmpresaID: empresa, EventoID: id}, nil)
	if err != nil {
		return fmt.Errorf("enqueue evento: %w", err)
	}
	return nil
}
