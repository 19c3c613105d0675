package pg_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
)

// The settings of a database hold for every role that connects after its migration.
func TestMigrate_queriesAreNotCompiled(t *testing.T) {
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
	var jit string
	err = conn.QueryRow(t.Context(), `SHOW jit`).Scan(&jit)
	if err != nil || jit != "off" {
		t.Errorf("jit is %q, %v", jit, err)
	}
}
