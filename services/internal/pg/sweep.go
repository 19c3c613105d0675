package pg

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// AlongIndexes has the rest of a transaction read along indexes only: for sweeps, whose every
// query takes the next rows of one. PostgreSQL cannot see that row-level security leaves all
// of them in, takes them for a hundredth, and would rather read and sort everything.
func AlongIndexes(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
		set_config('enable_sort', 'off', true)`)
	if err != nil {
		return fmt.Errorf("choose plans: %w", err)
	}
	return nil
}
