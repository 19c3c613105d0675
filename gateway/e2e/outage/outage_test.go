//go:build citus

package outage

import (
	"context"
	"net"
	"net/http"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/pgcluster"
	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// killed is the worker that is killed, by its place.
const killed = 0

func TestWorker_killedAndStartedAgain(t *testing.T) {
	outage(t, func() error { return system.Citus().Workers()[killed].Restart(t.Context()) })
}

func TestWorker_killedAndReplacedByItsStandby(t *testing.T) {
	citus := system.Citus()
	standby, err := citus.StartStandby(t.Context(), killed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if slices.Contains(citus.Workers(), standby) {
			return // it is one of the system's now
		}
		err := standby.Close(context.Background())
		if err != nil {
			t.Error(err)
		}
	})
	awaitCommits(t, citus.Workers()[killed])
	outage(t, func() error { return citus.Promote(t.Context(), killed, standby) })
}

// awaitCommits has a worker acknowledge only what its standby has too.
func awaitCommits(t *testing.T, worker *pgcluster.Cluster) {
	t.Helper()
	conn := connect(t, worker.URL("postgres"))
	for _, statement := range []string{`ALTER SYSTEM SET synchronous_standby_names = '*'`, `SELECT pg_reload_conf()`} {
		_, err := conn.Exec(t.Context(), statement)
		if err != nil {
			t.Fatal(err)
		}
	}
	harness.Eventually(t, "a standby that every commit waits for", func() bool {
		return asked[bool](t, conn, `SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')`)
	})
}

// outage kills a worker under load and mends it.
func outage(t *testing.T, mend func() error) {
	t.Helper()
	hit, spared := startSender(t, institucionAt(t, true)), startSender(t, institucionAt(t, false))
	both := []*sender{hit, spared}
	for _, s := range both {
		s.goesOn(t)
	}

	err := system.Citus().Workers()[killed].Crash()
	if err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, "the refusal of what lies on the killed worker", func() bool { return hit.count(http.StatusServiceUnavailable) >= 20 })
	llamada := hit.Plataforma.Activate(hit.ID, activation(2))
	if llamada.Status != http.StatusServiceUnavailable {
		t.Errorf("the platform was answered %d for an institution of the killed worker: %s", llamada.Status, llamada.Cuerpo)
	}
	spared.search(t, 2)
	spared.goesOn(t)

	err = mend()
	if err != nil {
		t.Fatal(err)
	}
	hit.search(t, 2)
	for _, s := range both {
		s.goesOn(t)
		s.stop()
	}
	hit.wantStatuses(t, http.StatusOK, http.StatusCreated, http.StatusServiceUnavailable)
	spared.wantStatuses(t, http.StatusCreated)
	for _, s := range both {
		s.wantAll(t)
	}
}

// institucionAt makes institutions until one has its rows, in both databases, on the worker that
// is killed, or on the other one.
func institucionAt(t *testing.T, onKilled bool) *harness.Institucion {
	t.Helper()
	for {
		i := system.NewInstitucion(t)
		registros, integracion := onKilledWorker(t, stack.Registros, "registros", i.ID), onKilledWorker(t, stack.Integracion, "reportes", i.ID)
		if registros == onKilled && integracion == onKilled {
			return i
		}
	}
}

// onKilledWorker tells where the rows of an institution lie; it fails for a table that is not spread.
func onKilledWorker(t *testing.T, database, table, empresa string) bool {
	t.Helper()
	worker, err := net.ResolveTCPAddr("tcp", system.Citus().Workers()[killed].Address())
	if err != nil {
		t.Fatal(err)
	}
	conn := connect(t, system.AdminURL(stack.Postgres, database))
	return asked[int](t, conn, `
		SELECT n.nodeport FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
		WHERE p.shardid = get_shard_id_for_distribution_column($1::text::regclass, $2::text)`, table, empresa) == worker.Port
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // its server may be gone
	return conn
}

func asked[T any](t *testing.T, conn *pgx.Conn, sql string, args ...any) (answer T) {
	t.Helper()
	err := conn.QueryRow(t.Context(), sql, args...).Scan(&answer)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}
