package golden

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// circumstances are what a case can happen in, beside a system in good order. They are
// brought about for real, in a system of its own that has narrow limits, and undone after
// the case.
var circumstances = map[string]func(*testing.T, *harness.System){
	// The limits of [strained] are enough.
	"limites_estrechos": func(*testing.T, *harness.System) {},
	"registros_caido":   func(t *testing.T, s *harness.System) { down(t, s, stack.Registros) },
	"integracion_caido": func(t *testing.T, s *harness.System) { down(t, s, stack.Integracion) },
	// Writing waits for a lock that does not come.
	"registros_bloqueado": func(t *testing.T, s *harness.System) { locked(t, s, "registros") },
	// The Bitácora's chain is not the one that was sealed.
	"cadena_alterada": func(t *testing.T, s *harness.System) {
		owner := ownerOf(t, s, stack.Integracion)
		execute(t, owner, "SET enlace.alcance = 'todas'")
		const alter = "UPDATE bitacora_sellos SET hash = set_byte(hash, 0, get_byte(hash, 0) # 1)"
		execute(t, owner, alter)
		t.Cleanup(func() { execute(t, owner, alter) })
	},
	// A schema that is not the program's.
	"esquema_ajeno": func(t *testing.T, s *harness.System) {
		owner := ownerOf(t, s, stack.Registros)
		execute(t, owner, "ALTER TABLE registros RENAME TO registros_ausente")
		t.Cleanup(func() { execute(t, owner, "ALTER TABLE registros_ausente RENAME TO registros") })
	},
}

// strainedLimits: an address may send 20 requests at once and then 20 a second, a key 10 at
// once and then hardly any, the third wrong login is one too many, and an institution has room for
// two records. The proxy that tells the addresses apart is the test.
var strainedLimits = map[string]string{
	"TRUSTED_PROXIES": "127.0.0.0/8", "RATE_LIMIT": "20", "RATE_BURST": "20",
	"CREDENTIAL_RATE": "0.01", "CREDENTIAL_BURST": "10",
	"LOGIN_MAX_FAILURES": "2", "TIMEOUT": "4s", "TIMEOUT_BATCH": "2s",
	"RECORD_QUOTA": "2",
}

// strainedOnce gives the system of the circumstances, which is started when a case first
// wants it and stops with t.
func strainedOnce(t *testing.T) func() *harness.System {
	return sync.OnceValue(func() *harness.System { return startBeside(t, strainedLimits) })
}

// down kills a part and brings it back after the test.
func down(t *testing.T, s *harness.System, part string) {
	t.Helper()
	err := s.Kill(part)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := s.Restart(context.Background(), part)
		if err != nil {
			t.Error(err)
		}
		// The others have to find it again.
		harness.Eventually(t, "a system in good order", func() bool { return isHealthy(s) })
	})
}

func isHealthy(s *harness.System) bool {
	res, err := plainClient.Get(s.Addresses().BaseURL + "/health")
	if err != nil {
		return false
	}
	return res.Body.Close() == nil && res.StatusCode == http.StatusOK
}

// locked holds a table until the test ends.
func locked(t *testing.T, s *harness.System, table string) {
	t.Helper()
	owner := ownerOf(t, s, stack.Registros)
	execute(t, owner, "BEGIN")
	execute(t, owner, "LOCK TABLE "+pgx.Identifier{table}.Sanitize()+" IN ACCESS EXCLUSIVE MODE")
	t.Cleanup(func() { execute(t, owner, "ROLLBACK") })
}

func ownerOf(t *testing.T, s *harness.System, service string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.OwnerURL(service))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // what it held ends with it
	return conn
}

func execute(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	_, err := conn.Exec(context.Background(), sql)
	if err != nil {
		t.Error(err)
	}
}
