package harness

import (
	"fmt"
	"os"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/stack"
)

// Replicated is a system whose services are called by name, so that each may have several
// replicas. It needs more than one address of loopback, as Linux has.
type Replicated struct {
	*System
	Nombres *Nombres
}

// MainReplicated is [Main] for a Replicated.
func MainReplicated(m *testing.M, env map[string]string, started func(*Replicated)) int {
	return MainReplicadoFrom(m, "", env, started)
}

// MainReplicadoFrom is MainReplicated for programs that were built before, into binDir.
func MainReplicadoFrom(m *testing.M, binDir string, env map[string]string, started func(*Replicated)) int {
	nombres, err := ServeNombres(stack.Registros, stack.Integracion)
	if err != nil {
		return failed(err)
	}
	cfg := stack.Config{BinDir: binDir, Throwaway: true, Resolver: nombres.Addr()}
	code := MainWith(m, cfg, env, func(s *System) { started(&Replicated{System: s, Nombres: nombres}) })
	err = nombres.Close()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// AddReplica starts one more replica and, of a service, makes it known to its callers.
func (r *Replicated) AddReplica(tb testing.TB, service string) *stack.Replica {
	tb.Helper()
	replica, err := r.StartReplica(tb.Context(), service)
	if err != nil {
		tb.Fatal(err)
	}
	if service == stack.Gateway {
		return replica
	}
	err = r.Nombres.Add(service, replica.Address)
	if err != nil {
		tb.Fatal(err)
	}
	return replica
}
