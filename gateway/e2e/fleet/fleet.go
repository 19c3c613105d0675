//go:build linux

package fleet

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// Settings make the gateways stop as they do in production, only sooner, because the balancer
// looks more often; and no call fails because the machine is busy with something else, which
// is not what is asked here. See the defaults of all.
var Settings = map[string]string{
	"STOP_DELAY": "2s", "GRPC_STOP_DELAY": "2s",
	"TIMEOUT": "60s", "GRPC_CLIENT_DEADLINE": "60s", "API_KEY_TIMEOUT": "30s",
}

// Fleet is the running replicas.
type Fleet struct {
	System   *harness.Replicated
	Balancer *Balancer
	// Halves are the first replicas of all and the second ones: registros, integracion,
	// gateway.
	Halves [2][]Replica
	// Slowest is the longest that a gateway took to find a restarted replica.
	Slowest time.Duration
}

// Replica is one process; Address is where it serves, by gRPC or, a gateway, by HTTP.
type Replica struct {
	Service, Name, Address, Ops string
}

// New adds a second replica of everything to a system and a balancer before its gateways. It
// returns once every gateway has found every replica.
func New(t *testing.T, system *harness.Replicated) *Fleet {
	t.Helper()
	f := &Fleet{System: system}
	base, err := url.Parse(system.Addresses().BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	addresses := map[string]string{
		stack.Registros: system.Addresses().GRPCRegistros, stack.Integracion: system.Addresses().GRPCIntegracion, stack.Gateway: base.Host,
	}
	for _, service := range []string{stack.Registros, stack.Integracion, stack.Gateway} {
		second := system.AddReplica(t, service)
		f.Halves[0] = append(f.Halves[0], Replica{service, service, addresses[service], system.Addresses().Ops[service]})
		f.Halves[1] = append(f.Halves[1], Replica{service, second.Name, second.Address, second.Ops})
	}
	var gateways []*upstream
	for _, half := range f.Halves {
		gateway := half[2]
		gateways = append(gateways, &upstream{
			name: gateway.Name, ops: gateway.Ops, url: &url.URL{Scheme: base.Scheme, Host: gateway.Address},
		})
	}
	f.Balancer = balance(t, gateways...)
	for _, r := range f.Services() {
		f.awaitReached(t, r)
	}
	return f
}

// Services are the replicas of both services.
func (f *Fleet) Services() []Replica { return slices.Concat(f.Halves[0][:2], f.Halves[1][:2]) }

// RestartEach restarts one replica after the other.
func (f *Fleet) RestartEach(t *testing.T) {
	t.Helper()
	for _, r := range slices.Concat(f.Halves[0], f.Halves[1]) {
		f.restart(t, r)
		f.awaitBack(t, r)
	}
}

// RestartHalves restarts one replica of each of the named programs at once, then the others.
func (f *Fleet) RestartHalves(t *testing.T, services ...string) {
	t.Helper()
	for _, half := range f.Halves {
		half = slices.DeleteFunc(slices.Clone(half), func(r Replica) bool { return !slices.Contains(services, r.Service) })
		var restarting sync.WaitGroup
		for _, r := range half {
			restarting.Go(func() { f.restart(t, r) })
		}
		restarting.Wait()
		for _, r := range half {
			f.awaitBack(t, r)
		}
	}
}

// restart is SIGTERM, the end of the process, and a new one that says to be ready.
func (f *Fleet) restart(t *testing.T, r Replica) {
	err := f.System.Restart(t.Context(), r.Name)
	if err != nil {
		t.Error(err)
	}
}

// awaitBack waits as a rollout does before it goes on: until the process takes its part.
func (f *Fleet) awaitBack(t *testing.T, r Replica) {
	t.Helper()
	ready := time.Now()
	if r.Service != stack.Gateway {
		f.awaitReached(t, r)
		f.Slowest = max(f.Slowest, time.Since(ready))
		return
	}
	harness.Eventually(t, "the balancer's trust in "+r.Name, func() bool {
		return slices.ContainsFunc(f.Balancer.gateways, func(u *upstream) bool { return u.name == r.Name && u.ready.Load() })
	})
	for _, service := range f.Services() {
		f.awaitReached(t, service)
	}
}

// awaitReached waits until every gateway sends calls to the replica.
func (f *Fleet) awaitReached(t *testing.T, r Replica) {
	t.Helper()
	for _, u := range f.Balancer.gateways {
		before := harness.Counter(t, r.Ops, checks...)
		harness.Eventually(t, u.name+"'s way to "+r.Name, func() bool {
			u.check(t, r.Service)
			return harness.Counter(t, r.Ops, checks...) > before
		})
	}
}

// checks is a call that the load never makes, so that its count tells who was reached.
var checks = []string{"grpc_server_calls_total", `rpc="/enlace.acceso.v1.AccesoService/CheckAcceso"`}

// check has a gateway ask a service about a credential, which precedes the refusal of a
// body that is no JSON.
func (u *upstream) check(t *testing.T, service string) {
	t.Helper()
	path := map[string]string{stack.Registros: "/cliente/registros", stack.Integracion: "/desactivar-reporte"}[service]
	header := http.Header{"X-Api-Key": {"nobody"}, "Authorization": {"Bearer nobody"}, "Content-Type": {"application/json"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.url.String()+path, bytes.NewReader([]byte("{")))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	res, err := checker.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
}

// Gateways are the addresses of the gateways themselves.
func (f *Fleet) Gateways() []string {
	var all []string
	for _, u := range f.Balancer.gateways {
		all = append(all, u.url.String())
	}
	return all
}
