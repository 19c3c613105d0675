package pg

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// AlongIndexes is [DB.AcrossEmpresas] for a sweep, whose every query reads the next rows of an
// index. PostgreSQL cannot see that row-level security leaves all rows in, takes what it reads
// for a hundredth of it, and would rather read and sort everything.
func (db *DB) AlongIndexes(ctx context.Context, fn func(tx pgx.Tx) error) error {
	return db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
			set_config('enable_sort', 'off', true)`)
		if err != nil {
			return fmt.Errorf("choose plans: %w", err)
		}
		return fn(tx)
	})
}
