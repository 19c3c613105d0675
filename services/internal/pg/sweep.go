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
	// What SET LOCAL says reaches the workers of a cluster, what set_config says does not.
	_, err := tx.Conn().PgConn().Exec(ctx,
		`SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off`).ReadAll()
	if err != nil {
		return fmt.Errorf("choose plans: %w", err)
	}
	return nil
}
