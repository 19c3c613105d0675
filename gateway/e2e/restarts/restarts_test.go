//go:build linux && restarts

package restarts

import (
	"flag"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/fleet"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

var rondas = flag.Int("rounds", 1, "how often everything is restarted")

func TestRestarts(t *testing.T) {
	f := fleet.New(t, system)
	l := fleet.NewLoad(t, f)
	l.Start()
	for range *rondas {
		t.Run("one after another", func(t *testing.T) { f.RestartEach(t) })
		t.Run("one of each at once", func(t *testing.T) { f.RestartHalves(t, stack.Registros, stack.Integracion, stack.Gateway) })
	}
	l.End()
	t.Logf("a gateway reached a restarted replica at the latest %v after it was ready", f.Slowest.Round(time.Millisecond))
	l.Account(t, f)
	t.Run("a whole service goes and comes back", func(t *testing.T) { outage(t, f, l) })
}

// outageFor is long enough for the gateways' pauses between attempts to grow as long as
// they get.
const outageFor = 6 * time.Second

// outage takes all replicas of registros away. Its calls are then refused, in the contract's
// own words, and answered again as soon as it is back.
func outage(t *testing.T, f *fleet.Fleet, l *fleet.Load) {
	names := []string{f.Halves[0][0].Name, f.Halves[1][0].Name}
	for _, name := range names {
		err := system.End(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
	}
	for away := time.Now(); time.Since(away) < outageFor; {
		answer := l.Institucion.Post(t, "/cliente/sandbox/ping", map[string]any{}).Want(t, http.StatusServiceUnavailable)
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
	for _, gateway := range f.Gateways() {
		header := http.Header{"X-Api-Key": {l.Institucion.ApiKey}}
		harness.Eventually(t, "an answer through "+gateway, func() bool {
			return harness.Call(t, http.MethodPost, gateway+"/cliente/sandbox/ping", header, map[string]any{}).Status == http.StatusOK
		})
		t.Logf("%s answered %v after the service was ready", gateway, time.Since(back).Round(time.Millisecond))
	}
	if failed := f.Balancer.Failed(); len(failed) > 0 {
		t.Errorf("cut while the service was away: %s", fmt.Sprint(failed))
	}
}
