//go:build linux

package balancing

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

const (
	// pings is how many are counted at a time.
	pings = 600
	// tolerance is how far a replica's part may be from an even one: connections are renewed
	// meanwhile, and one that is being renewed gets nothing.
	tolerance = 0.25
)

// Calls are counted by the replicas themselves.
var (
	pinged   = []string{"grpc_server_calls_total", `rpc="/enlace.registros.v1.RegistroService/Ping"`}
	opened   = []string{"grpc_client_calls_total", `rpc="/enlace.registros.v1.BusquedaService/OpenCaso"`}
	notified = []string{"grpc_client_calls_total", `rpc="/enlace.integracion.v1.EntregaService/NotifyCoincidencia"`}
)

func TestReplicas(t *testing.T) {
	i := system.NewInstitucion(t)
	registros := []string{system.Addresses().Ops[stack.Registros]}
	integracion := []string{system.Addresses().Ops[stack.Integracion]}
	for range 2 {
		registros = append(registros, system.AddReplica(t, stack.Registros).Ops)
	}
	integracion = append(integracion, system.AddReplica(t, stack.Integracion).Ops)
	awaitPart(t, i, registros)
	t.Run("calls spread evenly", func(t *testing.T) { checkEven(t, i, registros) })

	registros = append(registros, system.AddReplica(t, stack.Registros).Ops)
	added := time.Now()
	awaitPart(t, i, registros)
	t.Logf("the fourth replica got its first call %v after it was added", time.Since(added).Round(100*time.Millisecond))
	t.Run("the added one has its even part", func(t *testing.T) { checkEven(t, i, registros) })
	t.Run("jobs run on all", func(t *testing.T) { checkJobs(t, i, registros, integracion) })
}

// awaitPart pings until each replica got one. The limit is a minute: connections live for
// half a minute, and names are looked up at most every five seconds (GRPC_MAX_CONNECTION_AGE).
func awaitPart(t *testing.T, i *harness.Institucion, replicas []string) {
	t.Helper()
	before := counts(t, replicas, pinged)
	harness.Within(t, time.Minute, "a call of each replica", func() bool {
		for range 2 * len(replicas) {
			ping(t, i)
		}
		return all(counts(t, replicas, pinged), before)
	})
}

func checkEven(t *testing.T, i *harness.Institucion, replicas []string) {
	before := counts(t, replicas, pinged)
	for range pings {
		ping(t, i)
	}
	even := float64(pings) / float64(len(replicas))
	parts := counts(t, replicas, pinged)
	for n := range parts {
		parts[n] -= before[n]
		if parts[n] < even*(1-tolerance) || parts[n] > even*(1+tolerance) {
			t.Errorf("replica %d answered %.0f of %d pings, far from %.0f", n+1, parts[n], pings, even)
		}
	}
	t.Logf("of %d pings: %v", pings, parts)
}

func ping(t *testing.T, i *harness.Institucion) {
	t.Helper()
	i.Post(t, "/cliente/sandbox/ping", map[string]any{}).Want(t, http.StatusOK)
}

// checkJobs activates reports until every replica of integracion has opened a search for
// one and every replica of registros has had a match told.
func checkJobs(t *testing.T, i *harness.Institucion, registros, integracion []string) {
	n := 0
	harness.Eventually(t, "a job on every replica", func() bool {
		curp := fmt.Sprintf("REPA%06dHDFABCA1", n)
		i.Post(t, "/cliente/registros", harness.Registro(fmt.Sprintf("R-%d", n), curp, harness.Day(-1))).Want(t, http.StatusCreated)
		i.Activate(t, map[string]any{"id": harness.ReporteID(n), "curp": curp, "fecha_desaparicion": harness.Day(-2)})
		n++
		return all(counts(t, integracion, opened), nil) && all(counts(t, registros, notified), nil)
	})
	t.Logf("of %d reports: opened by integracion %v, told by registros %v", n, counts(t, integracion, opened), counts(t, registros, notified))
}

func counts(t *testing.T, replicas, metric []string) []float64 {
	t.Helper()
	found := make([]float64, len(replicas))
	for n, ops := range replicas {
		found[n] = harness.Counter(t, ops, metric...)
	}
	return found
}

// all tells whether each count has grown.
func all(after, before []float64) bool {
	for n := range after {
		if before == nil && after[n] == 0 || before != nil && after[n] == before[n] {
			return false
		}
	}
	return true
}
