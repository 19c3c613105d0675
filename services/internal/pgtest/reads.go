package pgtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/pg"
)

// Uncounted keeps PostgreSQL from counting tables by itself.
const Uncounted = `
DO $$ DECLARE tabla regclass;
BEGIN
	FOR tabla IN SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' LOOP
		EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', tabla);
	END LOOP;
END $$`

// rowsRead are the rows and entries of indexes that were read of each table with institutions since the
// database was made.
const rowsRead = `
SELECT relname, seq_tup_read + (SELECT coalesce(sum(idx_tup_read), 0)::bigint FROM pg_stat_user_indexes i WHERE i.relid = t.relid)
FROM pg_stat_user_tables t
WHERE EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.relid AND a.attname = 'empresa_id')`

// CheckReads runs calls on new connections, as [pg.Open] makes them, and tells of each table of which
// they read more than most: whatever plans they run by, those of foreign keys too.
func (d Database) CheckReads(tb testing.TB, most int64, calls func(db *pg.DB)) {
	tb.Helper()
	before := d.rowsRead(tb)
	db, err := pg.Open(tb.Context(), pg.Config{URL: d.AppURL})
	if err != nil {
		tb.Fatal(err)
	}
	func() {
		defer db.Close()
		calls(db)
	}()
	for table, read := range d.rowsRead(tb) {
		if got := read - before[table]; got > most {
			tb.Errorf("%d rows of %s are read, want at most %d", got, table, most)
		}
	}
}

// rowsRead waits until the connections of the application are gone: each counts when it ends.
func (d Database) rowsRead(tb testing.TB) map[string]int64 {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), d.AdminURL)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for there := true; there; {
		err = conn.QueryRow(tb.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND usename = $1)`, appRole).Scan(&there)
		if err != nil {
			tb.Fatal(err)
		}
	}
	read := map[string]int64{}
	var table string
	var rows int64
	result, _ := conn.Query(tb.Context(), rowsRead)
	_, err = pgx.ForEachRow(result, []any{&table, &rows}, func() error {
		read[table] = rows
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return read
}
