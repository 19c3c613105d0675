package pg_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
)

// A program takes no work before its migrations are through, and then for as long as the
// database answers; one from before them goes on.
func TestDB_ReadyFor_waitsForTheSchema(t *testing.T) {
	db, database := pgtest.Open(t, empty)
	later := pg.Migrations{Files: fstest.MapFS{
		"migrations/00001_nothing.sql": {Data: []byte("-- +goose Up\nSELECT 1;\n")},
		"migrations/00012_table.sql":   {Data: []byte("-- +goose Up\nCREATE TABLE t (id int);\n")},
	}}
	ready := checkOf(t, db, later)
	err := ready(bounded(t))
	if err == nil || !strings.Contains(err.Error(), "the schema is at 1 and has to be at 12") {
		t.Errorf("before the migration: %v", err)
	}
	err = pg.Migrate(t.Context(), database.OwnerURL, later)
	if err != nil {
		t.Fatal(err)
	}
	for name, check := range map[string]func(context.Context) error{"the program": ready, "the one before": checkOf(t, db, empty)} {
		err = check(bounded(t))
		if err != nil {
			t.Errorf("%s after the migration: %v", name, err)
		}
	}
	admin(t, `ALTER DATABASE `+nameOf(t, database)+` WITH ALLOW_CONNECTIONS false`,
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '`+nameOf(t, database)+`'`)
	err = ready(bounded(t))
	if !errs.Is(err, errores.NoDisponible) {
		t.Errorf("without the database: %v", err)
	}
	_, err = db.ReadyFor(pg.Migrations{Files: fstest.MapFS{}})
	if err == nil {
		t.Error("a schema without migrations is ready")
	}
}

func checkOf(t *testing.T, db *pg.DB, migrations pg.Migrations) func(context.Context) error {
	t.Helper()
	check, err := db.ReadyFor(migrations)
	if err != nil {
		t.Fatal(err)
	}
	return check
}

// The settings of a database hold for every role that connects after its migration.
func TestMigrate_batchesAreMergedInMemoryAndNotCompiled(t *testing.T) {
	database := pgtest.New(t, empty)
	err := pg.Migrate(t.Context(), database.OwnerURL, empty)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), database.AppURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	var jit, memory string
	err = conn.QueryRow(t.Context(), `SELECT current_setting('jit'), current_setting('work_mem')`).Scan(&jit, &memory)
	if err != nil || jit != "off" || memory != "16MB" {
		t.Errorf("jit is %q, work_mem %q, %v", jit, memory, err)
	}
}

// Each change of a job is entered in every index of the queue.
func TestMigrate_theQueueHasTheIndexesThatItIsWorkedBy(t *testing.T) {
	database := pgtest.New(t, empty)
	conn, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	var indexes string
	err = conn.QueryRow(t.Context(), `SELECT string_agg(indexname, ' ' ORDER BY indexname) FROM pg_indexes WHERE tablename = 'river_job'`).Scan(&indexes)
	want := "river_job_pkey river_job_prioritized_fetching_index river_job_state_and_finalized_at_index river_job_unique_idx"
	if err != nil || indexes != want {
		t.Errorf("the queue has %s, %v, want %s", indexes, err, want)
	}
}
