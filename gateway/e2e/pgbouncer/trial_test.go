//go:build pgbouncer

package pgbouncer

import (
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/stack"
)

// complaints are the words by which each log tells that something was not as it should be.
var complaints = map[string][]string{
	stack.Registros:   {`"level":"WARN"`, `"level":"ERROR"`},
	stack.Integracion: {`"level":"WARN"`, `"level":"ERROR"`},
	stack.Gateway:     {`"level":"WARN"`, `"level":"ERROR"`},
	stack.Pgbouncer:   {" WARNING ", " ERROR ", "pooler error", "unsupported"},
	stack.Postgres:    {"ERROR: ", "WARNING: "},
}

// refuseErrors fails the test for every complaint in a log.
func refuseErrors(t *testing.T) {
	t.Helper()
	for part, words := range complaints {
		log, err := os.ReadFile(system.LogPath(part))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(log)) {
			for _, word := range words {
				if strings.Contains(line, word) {
					t.Errorf("%s: %s", part, line)
				}
			}
		}
	}
}

// wantTraffic fails the test unless the pooler served each service with no more server
// connections than it may have, a transaction each, and replaced them meanwhile.
func wantTraffic(t *testing.T) {
	t.Helper()
	for _, service := range []string{stack.Registros, stack.Integracion} {
		pool := show(t, service, "SHOW POOLS")
		if pool["pool_mode"] != "transaction" {
			t.Errorf("%s: pool_mode %s", service, pool["pool_mode"])
		}
		servers := count(t, pool, "sv_active") + count(t, pool, "sv_idle") + count(t, pool, "sv_used") + count(t, pool, "sv_tested")
		clients := count(t, pool, "cl_active")
		if servers > 4 || clients == 0 {
			t.Errorf("%s: %d clients on %d server connections", service, clients, servers)
		}
		if served := count(t, show(t, service, "SHOW STATS"), "total_xact_count"); served < lotes {
			t.Errorf("%s: %d transactions went through the pooler", service, served)
		}
	}
	log, err := os.ReadFile(system.LogPath(stack.Pgbouncer))
	if err != nil || !strings.Contains(string(log), "server lifetime over") {
		t.Errorf("no server connection was replaced (%v)", err)
	}
}

// count reads a column that counts.
func count(t *testing.T, row map[string]string, column string) int {
	t.Helper()
	number, err := strconv.Atoi(row[column])
	if err != nil {
		t.Errorf("%s: %v", column, err)
	}
	return number
}

// show asks the pooler's console for the row about a service's database.
func show(t *testing.T, service, command string) map[string]string {
	t.Helper()
	address, err := url.Parse(system.AppURL(service))
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/pgbouncer"
	address.RawQuery = "sslmode=disable&default_query_exec_mode=simple_protocol"
	conn, err := pgx.Connect(t.Context(), address.String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, textRow)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all {
		if row["database"] == service {
			return row
		}
	}
	t.Errorf("%s: the pooler knows no such database", service)
	return nil
}

// textRow reads a row as it is on the wire, for the console has column types of its own.
func textRow(row pgx.CollectableRow) (map[string]string, error) {
	texts := map[string]string{}
	for i, field := range row.FieldDescriptions() {
		texts[field.Name] = string(row.RawValues()[i])
	}
	return texts, nil
}
