package pg_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
)

// growing has a table that nobody counts, of rows that seem to be long. While it is small, an index of the institution is as
// good as the key.
var growing = pg.Migrations{Files: fstest.MapFS{"migrations/00001_growing.sql": {Data: []byte(`-- +goose Up
CREATE TABLE growing (empresa_id text, id int, other int, note char(1000), CONSTRAINT growing_pkey PRIMARY KEY (empresa_id, id)) WITH (autovacuum_enabled = false);
CREATE INDEX growing_other_idx ON growing (empresa_id, other);
GRANT SELECT, INSERT ON growing TO PUBLIC;
`)}}}

// A plan from when a table was empty is not kept when it has grown.
func TestDB_plansAnewForWhatHasGrown(t *testing.T) {
	db, _ := pgtest.Open(t, growing)
	plan := func(then string) (plan string) {
		err := db.Pool().AcquireFunc(t.Context(), func(conn *pgxpool.Conn) error {
			rows, _ := conn.Query(t.Context(), `EXPLAIN EXECUTE look`)
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err == nil {
				plan = strings.Join(lines, "\n")
				_, err = conn.Exec(t.Context(), then)
			}
			pg.AgePlans(conn.Conn())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	_, err := db.Pool().Exec(t.Context(), `
		SET enable_seqscan = off; SET enable_bitmapscan = off;
		PREPARE look AS SELECT other FROM growing WHERE empresa_id = 'LAB010101001' AND id = 1`)
	if err != nil {
		t.Fatal(err)
	}

	small := plan(`INSERT INTO growing SELECT 'LAB010101001', n, n FROM generate_series(1, 50000) n`)
	large := plan(`DEALLOCATE look`)

	if !strings.Contains(small, "growing_other_idx") {
		t.Errorf("empty, the table is read along the key; there is nothing to be seen here then:\n%s", small)
	}
	if !strings.Contains(large, "growing_pkey") {
		t.Errorf("grown, the table is still read as when it was empty:\n%s", large)
	}
}
