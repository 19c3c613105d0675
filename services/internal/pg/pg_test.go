package pg_test

import (
	"context"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// empty is a schema without tables of ours.
var empty = pg.Migrations{Files: fstest.MapFS{"migrations/00001_nothing.sql": {Data: []byte("-- +goose Up\nSELECT 1;\n")}}}

func TestDB_Ping_answersWhileAllConnectionsAreAtWork(t *testing.T) {
	db, _ := pgtest.Open(t, empty)
	for range db.MaxConns() {
		conn, err := db.Pool().Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Release()
	}

	err := db.Ping(bounded(t))

	if err != nil {
		t.Errorf("ping: %v", err)
	}
}

func TestDB_Ping_followsTheDatabase(t *testing.T) {
	db, database := pgtest.Open(t, empty)
	if err := db.Ping(bounded(t)); err != nil {
		t.Fatalf("up: %v", err)
	}
	name := nameOf(t, database)
	admin(t, `ALTER DATABASE `+name+` WITH ALLOW_CONNECTIONS false`,
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '`+name+`'`)
	if err := db.Ping(bounded(t)); !errs.Is(err, errores.NoDisponible) {
		t.Errorf("down: %v", err)
	}
	admin(t, `ALTER DATABASE `+name+` WITH ALLOW_CONNECTIONS true`)
	if err := db.Ping(bounded(t)); err != nil {
		t.Errorf("up again: %v", err)
	}
}

// bounded fails a test whose ping waits for somebody.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func nameOf(t *testing.T, database pgtest.Database) string {
	t.Helper()
	config, err := pgxpool.ParseConfig(database.AppURL)
	if err != nil {
		t.Fatal(err)
	}
	return config.ConnConfig.Database
}

func admin(t *testing.T, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), os.Getenv("TEST_DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, statement := range statements {
		_, err = conn.Exec(t.Context(), statement)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The name of an institution is never read as SQL, whatever it is.
func TestDB_InEmpresa_seesTheEmpresaAsItIs(t *testing.T) {
	db, _ := pgtest.Open(t, empty)
	for _, id := range []tenant.EmpresaID{"LAB010101AB1", `a'b`, `a\`, `a\'; SELECT 1; --`, "ñ&Ñ", `"a" $1 %s`, "a\nb"} {
		var scope string
		err := db.InEmpresa(t.Context(), id, func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT current_setting('enlace.empresa_id')`).Scan(&scope)
		})
		if err != nil || scope != string(id) {
			t.Errorf("%q: in scope of %q, %v", id, scope, err)
		}
	}
}

// A batch is one transaction: what fails in it takes back what went before, and a collision
// has it run again.
func TestDB_SendInEmpresa_isOneTransaction(t *testing.T) {
	db, database := pgtest.Open(t, notes)
	send := func(statement string) error {
		return db.SendInEmpresa(t.Context(), "LAB010101AB1", func(batch *pgx.Batch) {
			batch.Queue(`INSERT INTO notes SELECT current_setting('enlace.empresa_id')`)
			batch.Queue(statement)
		})
	}
	for _, tt := range []struct {
		name, statement string
		fails           bool
		notes           int
	}{
		{"a failure", `SELECT 1 / (SELECT 0)`, true, 0},
		{"a collision", `SELECT collide_once()`, false, 1},
		{"a success", `SELECT 1`, false, 2},
	} {
		err := send(tt.statement)
		if (err != nil) != tt.fails {
			t.Errorf("%s: %v", tt.name, err)
		}
		conn, err := pgx.Connect(t.Context(), database.AdminURL)
		if err != nil {
			t.Fatal(err)
		}
		var n int
		err = conn.QueryRow(t.Context(), `SELECT count(*) FROM notes WHERE empresa = 'LAB010101AB1'`).Scan(&n)
		if err != nil || n != tt.notes {
			t.Errorf("%s left %d notes, %v, want %d", tt.name, n, err, tt.notes)
		}
		_ = conn.Close(t.Context())
	}
}

// notes is a schema with a table, and a function that collides the first time.
var notes = pg.Migrations{Files: fstest.MapFS{"migrations/00001_notes.sql": {Data: []byte(`-- +goose Up
CREATE TABLE notes (empresa text);
CREATE SEQUENCE collisions;
-- +goose StatementBegin
CREATE FUNCTION collide_once() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
	IF nextval('collisions') = 1 THEN RAISE EXCEPTION USING ERRCODE = '40001'; END IF;
END $$;
-- +goose StatementEnd
`)}}}
