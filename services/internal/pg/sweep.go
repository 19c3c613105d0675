package pg

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// alongIndexes has a transaction read along indexes only, in their order. What PostgreSQL takes for
// dear because it is not along one, as a sort of arguments, is not compiled for that.
const alongIndexes = `SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off; SET LOCAL jit = off`

// AlongIndexes has the rest of a transaction read along indexes only: for sweeps, whose every
// query takes the next rows of one. PostgreSQL cannot see that row-level security leaves all
// of them in, takes them for a hundredth, and would rather read and sort everything.
func AlongIndexes(ctx context.Context, tx pgx.Tx) error {
	// What SET LOCAL says reaches the workers of a cluster, what set_config says does not.
	_, err := tx.Conn().PgConn().Exec(ctx, alongIndexes).ReadAll()
	if err != nil {
		return fmt.Errorf("choose plans: %w", err)
	}
	return nil
}

// Due is what a sweep has to change of each institution. It is read for all of them, without
// locks, and changed for each by itself: a cluster knows where that is, and locks nothing
// across its parts. Whoever changes it looks whether it still is due.
type Due[ID any] struct {
	// Empresas are in order, as all lock what is theirs.
	Empresas []tenant.EmpresaID
	IDs      map[tenant.EmpresaID][]ID
	Total    int
}

// QueryDue runs a query for institutions and ids.
func QueryDue[ID any](ctx context.Context, tx pgx.Tx, query string, args ...any) (due Due[ID], err error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return due, fmt.Errorf("look for what is due: %w", err)
	}
	var empresa tenant.EmpresaID
	var id ID
	_, err = pgx.ForEachRow(rows, []any{&empresa, &id}, func() error {
		due.Add(empresa, id)
		return nil
	})
	if err != nil {
		return due, fmt.Errorf("look for what is due: %w", err)
	}
	return due, nil
}

// Add adds one.
func (d *Due[ID]) Add(empresa tenant.EmpresaID, id ID) {
	if d.IDs == nil {
		d.IDs = map[tenant.EmpresaID][]ID{}
	}
	if d.IDs[empresa] == nil {
		at, _ := slices.BinarySearch(d.Empresas, empresa)
		d.Empresas = slices.Insert(d.Empresas, at, empresa)
	}
	d.IDs[empresa] = append(d.IDs[empresa], id)
	d.Total++
}

// ChangeDue runs a statement for each institution, with its name, its ids and args, in one round
// trip, and tells how many rows they changed.
func ChangeDue[ID any](ctx context.Context, tx pgx.Tx, due Due[ID], statement string, args ...any) (changed int, err error) {
	var batch pgx.Batch
	for _, empresa := range due.Empresas {
		batch.Queue(statement, append([]any{string(empresa), due.IDs[empresa]}, args...)...).Exec(func(tag pgconn.CommandTag) error {
			changed += int(tag.RowsAffected())
			return nil
		})
	}
	err = tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return 0, fmt.Errorf("change what is due: %w", err)
	}
	return changed, nil
}

const (
	sizeOfTable = `SELECT pg_relation_size($1::text::regclass) / current_setting('block_size')::bigint`

	// sizeOfPart is NULL, and so an error, if a worker does not say how large its parts are.
	sizeOfPart = `
		SELECT CASE WHEN count(*) = count(shard_size) THEN greatest(pg_relation_size($1::text::regclass), max(shard_size)) END
			/ current_setting('block_size')::bigint
		FROM citus_shards WHERE table_name = $1::text::regclass`
)

// LargestPart is how many blocks a table has, or the largest of its parts in a cluster, that one
// with its indexes. A sweep that goes by the places of rows ends there.
func (db *DB) LargestPart(ctx context.Context, tx pgx.Tx, table string) (blocks int64, err error) {
	query := sizeOfTable
	if db.clustered.Load() {
		query = sizeOfPart
	}
	err = tx.QueryRow(ctx, query, table).Scan(&blocks)
	if err != nil {
		return 0, fmt.Errorf("measure %s: %w", table, err)
	}
	return blocks, nil
}
