package readreplica

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// lists are the routes that are read from the replica, of both services.
var lists = []string{"/cliente/casos", "/cliente/coincidencias", "/cliente/reportes"}

func TestLectura_listsAreAsOldAsTheReplica(t *testing.T) {
	i := system.NewInstitucion(t)
	report(t, i, 1)
	for _, path := range lists {
		harness.Eventually(t, path+" with the first report", func() bool { return length(t, i.Get(t, path)) > 0 })
	}
	settle(t)

	// What happens from here on is written, and told, and not to be seen in a list.
	replay(t, "pg_wal_replay_pause")
	before := map[string]harness.Answer{}
	for _, path := range lists {
		before[path] = i.Get(t, path).Want(t, http.StatusOK)
	}
	report(t, i, 2)
	for _, path := range lists {
		now := i.Get(t, path).Want(t, http.StatusOK)
		if string(now.Body) != string(before[path].Body) || now.Header.Get("ETag") != before[path].Header.Get("ETag") {
			t.Errorf("%s changed although the replica did not", path)
		}
		if status := known(t, i, path, now).Status; status != http.StatusNotModified {
			t.Errorf("%s: status %d for the list as it is, want 304", path, status)
		}
	}

	replay(t, "pg_wal_replay_resume")
	for _, path := range lists {
		harness.Eventually(t, path+" with the second report", func() bool {
			now := i.Get(t, path).Want(t, http.StatusOK)
			return length(t, now) > length(t, before[path]) && known(t, i, path, before[path]).Status == http.StatusOK
		})
	}
}

func TestLectura_withoutTheReplicaListsAreRead(t *testing.T) {
	i := system.NewInstitucion(t)
	err := system.Kill(stack.Lectura)
	if err != nil {
		t.Fatal(err)
	}
	report(t, i, 3)
	for _, path := range lists {
		if length(t, i.Get(t, path).Want(t, http.StatusOK)) == 0 {
			t.Errorf("%s does not show what was written while the replica was away", path)
		}
	}

	err = system.Restart(t.Context(), stack.Lectura)
	if err != nil {
		t.Fatal(err)
	}
	settle(t)
	replay(t, "pg_wal_replay_pause")
	defer replay(t, "pg_wal_replay_resume")
	n := 10
	harness.Eventually(t, "a list of the replica that came back", func() bool {
		n++
		old := length(t, i.Get(t, "/cliente/reportes").Want(t, http.StatusOK))
		i.Activate(t, map[string]any{"id": harness.ReporteID(n), "curp": harness.CurpDos, "fecha_desaparicion": harness.Day(-10)})
		return length(t, i.Get(t, "/cliente/reportes").Want(t, http.StatusOK)) == old
	})
}

// report takes one report from its activation to the end of its search.
func report(t *testing.T, i *harness.Institucion, n int) {
	t.Helper()
	folio := fmt.Sprintf("A-%d", n)
	i.Post(t, "/cliente/registros", harness.Registro(folio, harness.CurpUno, harness.Day(-3))).Want(t, http.StatusCreated)
	id := harness.ReporteID(n)
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(id), harness.Fin) })
}

// known asks for a list that the client has already.
func known(t *testing.T, i *harness.Institucion, path string, had harness.Answer) harness.Answer {
	t.Helper()
	header := http.Header{"X-Api-Key": {i.ApiKey}, "If-None-Match": {had.Header.Get("ETag")}}
	return harness.Call(t, http.MethodGet, i.BaseURL+path, header, nil)
}

func length(t *testing.T, list harness.Answer) int {
	t.Helper()
	var rows []any
	list.Into(t, &rows)
	return len(rows)
}

// replay pauses or resumes what the replica replays.
func replay(t *testing.T, function string) {
	t.Helper()
	query(t, stack.Lectura, "SELECT "+function+"()::text")
	harness.Eventually(t, function, func() bool {
		paused := query(t, stack.Lectura, "SELECT pg_get_wal_replay_pause_state()") == "paused"
		return paused == (function == "pg_wal_replay_pause")
	})
}

// settle waits until the replica shows all that has been written.
func settle(t *testing.T) {
	t.Helper()
	written := query(t, stack.Postgres, "SELECT pg_current_wal_insert_lsn()::text")
	harness.Eventually(t, "the replica's catching up", func() bool {
		return query(t, stack.Lectura, "SELECT (pg_last_wal_replay_lsn() >= '"+written+"')::text") == "true"
	})
}

func query(t *testing.T, part, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), system.AdminURL(part, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	var answer string
	err = conn.QueryRow(t.Context(), sql).Scan(&answer)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return answer
}
