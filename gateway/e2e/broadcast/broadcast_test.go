// Package broadcast has the platform tell many institutions of many persons at once, from one
// address, as it does after an institution joined or after an outage. It tests; nothing
// imports it.
package broadcast

import (
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

const (
	instituciones = 50
	atOnce        = 32
	platform      = "203.0.113.7"
)

var system *harness.System

// TestMain limits everybody but the platform to far less than the machine can do.
func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, map[string]string{
		"TRUSTED_PROXIES": "127.0.0.0/8", "PUI_NETWORKS": "203.0.113.0/24",
		"RATE_LIMIT": "1", "RATE_BURST": "50", "EMPRESA_RATE": "1", "EMPRESA_BURST": "50",
		"PUI_RATE_LIMIT": "10000", "PUI_RATE": "5000",
	}, func(s *harness.System) { system = s }))
}

// TestBroadcast activates 10,000 reports for 50 institutions and wants none refused; the same
// credentials from another address meet the ordinary limits.
func TestBroadcast(t *testing.T) {
	activaciones := 200 // of each
	if testing.Short() {
		activaciones = 60
	}
	type activation struct{ base, token, id string }
	todo := make(chan activation, instituciones*activaciones)
	tokens := map[string]string{}
	var base, token string
	for range instituciones {
		i := system.NewInstitucion(t)
		base = i.BaseURL + "/i/" + i.ID
		var session struct{ Token string }
		harness.Call(t, http.MethodPost, base+"/login", from(platform), map[string]string{"usuario": "PUI", "clave": i.Clave}).Want(t, http.StatusOK).Into(t, &session)
		token = session.Token
		tokens[base] = token
	}
	for n := range activaciones {
		for base, token := range tokens {
			todo <- activation{base, token, harness.ReporteID(n)}
		}
	}
	close(todo)

	send := func(address string, a activation) (int, error) {
		header := from(address)
		header.Set("Authorization", "Bearer "+a.token)
		return harness.Status(t.Context(), a.base+"/activar-reporte", header, map[string]string{"id": a.id, "curp": harness.CurpUno})
	}
	var taken atomic.Int64
	var sending sync.WaitGroup
	for range atOnce {
		sending.Go(func() {
			for a := range todo {
				status, err := send(platform, a)
				// A machine that does other things may be busy, which is no limit: the platform sends again.
				for tries := 0; tries < 20 && (status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout); tries++ {
					status, err = send(platform, a)
				}
				if err != nil || status != http.StatusOK {
					t.Errorf("activation: got %d %v", status, err)
					continue
				}
				taken.Add(1)
			}
		})
	}
	sending.Wait()
	if got := int(taken.Load()); got != instituciones*activaciones {
		t.Errorf("%d activations were taken, want %d", got, instituciones*activaciones)
	}

	// An ordinary address has 1/s after its burst of 50, which any machine exceeds.
	var status int
	for n := range activaciones {
		var err error
		if status, err = send("198.51.100.7", activation{base, token, harness.ReporteID(n)}); err != nil {
			t.Fatal(err)
		}
		if status == http.StatusTooManyRequests {
			return
		}
	}
	t.Errorf("from elsewhere the last of %d activations got %d, want 429", activaciones, status)
}

func from(address string) http.Header {
	return http.Header{"X-Forwarded-For": {address}}
}
