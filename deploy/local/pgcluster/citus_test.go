//go:build citus

package pgcluster

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
)

// startCitus starts a coordinator and two workers with a database "prueba" of a role of its own.
func startCitus(t *testing.T, settings map[string]string) (*Citus, *pgx.Conn) {
	t.Helper()
	c, err := StartCitus(t.Context(), Config{Throwaway: true, Settings: settings}, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := c.Close(context.Background())
		if err != nil {
			t.Error(err)
		}
	})
	execute(t, c.Coordinator(), `CREATE ROLE prueba LOGIN PASSWORD 'clave-de-prueba'`)
	execute(t, c.Coordinator(), `CREATE DATABASE prueba OWNER prueba`)
	for range 2 { // it may be repeated
		err = errors.Join(c.Know("prueba", "clave-de-prueba"), c.Extend(t.Context(), "prueba"))
		if err != nil {
			t.Fatal(err)
		}
	}
	return c, connected(t, c)
}

// connected is a connection with the coordinator's database "prueba".
func connected(t *testing.T, c *Citus) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), URL("prueba", "clave-de-prueba", c.Coordinator().Address(), "prueba"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { disconnect(t, conn) })
	return conn
}

// asked gives one number.
func asked(t *testing.T, conn *pgx.Conn, sql string) int {
	t.Helper()
	var n int
	err := conn.QueryRow(t.Context(), sql).Scan(&n)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// A cluster spreads the tables of a role over its workers, takes one more, and goes on with the standby of one that is lost.
func TestStartCitus(t *testing.T) {
	t.Parallel()
	c, conn := startCitus(t, nil)
	_, err := conn.Exec(t.Context(), `CREATE TABLE cosas (n int PRIMARY KEY); SELECT create_distributed_table('cosas', 'n');
		INSERT INTO cosas SELECT generate_series(1, 100)`)
	if err != nil {
		t.Fatal(err)
	}
	if got := asked(t, conn, `SELECT count(DISTINCT nodeport) FROM citus_shards`); got != 2 {
		t.Errorf("the table lies on %d nodes, want both workers", got)
	}

	_, err = c.AddWorker(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := asked(t, conn, `SELECT count(*) FROM citus_get_active_worker_nodes()`); got != 3 {
		t.Errorf("%d workers, want 3", got)
	}

	standby, err := c.StartStandby(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, standby) })
	err = errors.Join(c.Workers()[0].Crash(), c.Promote(t.Context(), 0, standby))
	if err != nil {
		t.Fatal(err)
	}
	if got := asked(t, conn, `SELECT count(*) FROM cosas`); got != 100 {
		t.Errorf("%d rows with the standby, want all 100", got)
	}
}
