//go:build linux

package reinicios

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/sistema"
)

var rondas = flag.Int("rondas", 1, "how often everything is restarted")

// shown bounds the failures that are printed: the first ones tell.
const shown = 20

func TestRestarts(t *testing.T) {
	f := newFlota(t)
	c := newCarga(t, f.balanceador.URL)
	c.start()
	for range *rondas {
		t.Run("one after another", func(t *testing.T) { f.restartEach(t) })
		t.Run("one of each at once", func(t *testing.T) { f.restartHalves(t) })
	}
	c.end()
	failed := slices.Concat(c.failures, f.balanceador.failed())
	for _, failure := range failed[:min(shown, len(failed))] {
		t.Error(failure)
	}
	t.Run("nothing is lost", func(t *testing.T) { c.checkRegistros(t) })
	t.Run("each match is told once", func(t *testing.T) { c.checkReportes(t) })
	t.Run("a whole service goes and comes back", func(t *testing.T) { f.outage(t, c) })
	t.Logf("a gateway reached a restarted replica at the latest %v after it was ready", f.slowest.Round(time.Millisecond))
	t.Logf("%d records, %d reports", len(c.aceptados), len(c.reportes))
	t.Logf("%d requests, %d failed", c.requests.Load(), len(failed))
}

// flota is the running replicas.
type flota struct {
	balanceador *balanceador
	// mitades are the first replicas of all and the second ones.
	mitades [2][]replica
	// slowest is the longest that a gateway took to find a restarted replica.
	slowest time.Duration
}

// replica is one process.
type replica struct {
	service, name, ops string
}

func newFlota(t *testing.T) *flota {
	f := &flota{}
	var gateways []*upstream
	for _, service := range []string{stack.Registros, stack.Integracion, stack.Gateway} {
		second := system.AddReplica(t, service)
		f.mitades[0] = append(f.mitades[0], replica{service, service, system.Addresses().Ops[service]})
		f.mitades[1] = append(f.mitades[1], replica{service, second.Name, second.Ops})
		if service != stack.Gateway {
			continue
		}
		for name, address := range map[string]string{service: system.Addresses().BaseURL, second.Name: "http://" + second.Address} {
			parsed, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			gateways = append(gateways, &upstream{name: name, url: parsed, ops: f.opsOf(name)})
		}
	}
	f.balanceador = balance(t, gateways...)
	for _, r := range slices.Concat(f.mitades[0][:2], f.mitades[1][:2]) {
		f.awaitReached(t, r)
	}
	return f
}

func (f *flota) opsOf(name string) string {
	for _, r := range slices.Concat(f.mitades[0], f.mitades[1]) {
		if r.name == name {
			return r.ops
		}
	}
	return ""
}

func (f *flota) restartEach(t *testing.T) {
	for _, r := range slices.Concat(f.mitades[0], f.mitades[1]) {
		f.restart(t, r)
		f.awaitBack(t, r)
	}
}

func (f *flota) restartHalves(t *testing.T) {
	for _, mitad := range f.mitades {
		var restarting sync.WaitGroup
		for _, r := range mitad {
			restarting.Go(func() { f.restart(t, r) })
		}
		restarting.Wait()
		for _, r := range mitad {
			f.awaitBack(t, r)
		}
	}
}

// restart is SIGTERM, the end of the process, and a new one that says to be ready.
func (f *flota) restart(t *testing.T, r replica) {
	err := system.Restart(t.Context(), r.name)
	if err != nil {
		t.Error(err)
	}
}

// awaitBack waits as a rollout does before it goes on: until the process takes its part.
func (f *flota) awaitBack(t *testing.T, r replica) {
	t.Helper()
	ready := time.Now()
	if r.service != stack.Gateway {
		f.awaitReached(t, r)
		f.slowest = max(f.slowest, time.Since(ready))
		return
	}
	sistema.Eventually(t, "the balancer's trust in "+r.name, func() bool {
		return slices.ContainsFunc(f.balanceador.gateways, func(u *upstream) bool { return u.name == r.name && u.ready.Load() })
	})
	for _, half := range f.mitades {
		for _, service := range half[:2] {
			f.awaitReached(t, service)
		}
	}
}

// awaitReached waits until every gateway sends calls to the replica.
func (f *flota) awaitReached(t *testing.T, r replica) {
	t.Helper()
	for _, u := range f.balanceador.gateways {
		before := sistema.Counter(t, r.ops, checks...)
		sistema.Eventually(t, u.name+"'s way to "+r.name, func() bool {
			f.check(t, u, r.service)
			return sistema.Counter(t, r.ops, checks...) > before
		})
	}
}

// checks is a call that the load never makes, so that its count tells who was reached.
var checks = []string{"grpc_server_calls_total", `rpc="/enlace.acceso.v1.AccesoService/CheckAcceso"`}

// check has a gateway ask a service about a credential, which precedes the refusal of a
// body that is no JSON.
func (f *flota) check(t *testing.T, u *upstream, service string) {
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

// checkRegistros sends every accepted record again: each is there, as it was sent. That it
// is there once is the key of its table.
func (c *carga) checkRegistros(t *testing.T) {
	if len(c.aceptados) == 0 {
		t.Fatal("no record was accepted")
	}
	for chunk := range slices.Chunk(c.aceptados, 5000) {
		var answer struct {
			SinCambios int `json:"sin_cambios"`
		}
		c.institucion.Post(t, "/cliente/registros/lote", chunk).Want(t, http.StatusOK).Into(t, &answer)
		if answer.SinCambios != len(chunk) {
			t.Errorf("%d of %d accepted records are there", answer.SinCambios, len(chunk))
		}
	}
}

// checkReportes holds that each report has its Caso and its matches, and that the platform
// took each step once and in order.
func (c *carga) checkReportes(t *testing.T) {
	if len(c.reportes) == 0 {
		t.Fatal("no report was accepted")
	}
	sistema.Eventually(t, "the last step of every report", func() bool {
		all := c.institucion.LlegadasPorReporte()
		return !slices.ContainsFunc(c.reportes, func(id string) bool { return len(sistema.Tomadas(all[id])) < 4 })
	})
	all := c.institucion.LlegadasPorReporte()
	for _, id := range c.reportes {
		if steps := sistema.Tomadas(all[id]); !isComplete(steps) {
			t.Errorf("%s was told %v", id, steps)
		}
	}
	abiertos := map[string]int{}
	for _, caso := range c.institucion.Casos(t) {
		abiertos[caso.ReporteID]++
	}
	notificadas := map[string]int{}
	for _, match := range c.institucion.Coincidencias(t) {
		if match.Estado == "notificada" {
			notificadas[match.ReporteID]++
		}
	}
	for _, id := range c.reportes {
		if abiertos[id] != 1 || notificadas[id] != 3 {
			t.Errorf("%s has %d casos and %d told matches", id, abiertos[id], notificadas[id])
		}
	}
}

// isComplete wants each step once and in order. The later record was found by the search or
// after it, as the moment would have it.
func isComplete(steps []string) bool {
	phases := make([]byte, len(steps))
	for i, step := range steps {
		phases[i] = step[0]
	}
	matches := slices.Sorted(slices.Values(steps[1:]))
	yesterday, today := "2:"+sistema.Day(-1), sistema.Day(0)
	switch string(phases) {
	case "122f":
		return slices.Equal(matches, []string{yesterday, "2:" + today, sistema.Fin})
	case "12f3":
		return slices.Equal(matches, []string{yesterday, "3:" + today, sistema.Fin})
	default:
		return false
	}
}

// outageFor is long enough for the gateways' pauses between attempts to grow as long as
// they get.
const outageFor = 6 * time.Second

// outage takes all replicas of registros away. Its calls are then refused, in the contract's
// own words, and answered again as soon as it is back.
func (f *flota) outage(t *testing.T, c *carga) {
	names := []string{f.mitades[0][0].name, f.mitades[1][0].name}
	for _, name := range names {
		err := system.End(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
	}
	for away := time.Now(); time.Since(away) < outageFor; {
		answer := c.institucion.Post(t, "/cliente/sandbox/ping", map[string]any{}).Want(t, http.StatusServiceUnavailable)
		if answer.Header.Get("Retry-After") == "" {
			t.Error("503 without Retry-After")
		}
	}
	for _, name := range names {
		err := system.Restart(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
	}
	back := time.Now()
	for _, u := range f.balanceador.gateways {
		header := http.Header{"X-Api-Key": {c.institucion.ApiKey}}
		sistema.Eventually(t, "an answer through "+u.name, func() bool {
			return sistema.Call(t, http.MethodPost, u.url.String()+"/cliente/sandbox/ping", header, map[string]any{}).Status == http.StatusOK
		})
		t.Logf("%s answered %v after the service was ready", u.name, time.Since(back).Round(time.Millisecond))
	}
	if failed := f.balanceador.failed(); len(failed) > 0 {
		t.Errorf("cut while the service was away: %s", fmt.Sprint(failed))
	}
}
