package pg_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
)

// Where there is no cluster, nothing is distributed, and nothing has to be gathered. What
// happens where there is one, the tests of the services with the tag "citus" show.
func TestDistribute_refusesWithoutCitus(t *testing.T) {
	database := pgtest.New(t, empty)
	done, err := pg.Distribute(t.Context(), database.OwnerURL, empty)
	if err == nil || !strings.Contains(err.Error(), "CREATE EXTENSION citus") || len(done) > 0 {
		t.Errorf("Distribute = %v, %v, want a refusal that says what to do", done, err)
	}
	done, err = pg.Gather(t.Context(), database.OwnerURL)
	if err != nil || len(done) > 0 {
		t.Errorf("Gather = %v, %v, want nothing done", done, err)
	}
}

// A cluster's dump in a single server has its owner still free of row-level security: he is not let
// in as a program until Gather has it hold him.
func TestGather_holdsTheOwnerAgain(t *testing.T) {
	database := pgtest.New(t, empty)
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err == nil {
		_, err = owner.PgConn().Exec(t.Context(), `CREATE TABLE cosas (empresa_id text); ALTER TABLE cosas ENABLE ROW LEVEL SECURITY`).ReadAll()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = owner.Close(t.Context()) }()
	for _, want := range []string{"refused", "let in"} {
		db, err := pg.Open(t.Context(), pg.Config{URL: database.OwnerURL})
		got := "refused"
		if err == nil {
			db.Close()
			got = "let in"
		}
		if got != want {
			t.Errorf("the owner is %s, want %s: %v", got, want, err)
		}
		_, err = pg.Gather(t.Context(), database.OwnerURL)
		if err != nil {
			t.Fatal(err)
		}
	}
}
