package app_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// TestDeactivation_againstASlowNotification holds the promise of the deactivation against
// a platform that does not answer, on the replica that sends and on another one.
func TestDeactivation_againstASlowNotification(t *testing.T) {
	t.Parallel()
	for _, elsewhere := range []bool{false, true} {
		s := start(t, integraciontest.Options{PuiTimeout: time.Minute})
		s.activateLongAgo(t, empresaA)
		s.simulador.Fail(simuladortest.Falla{
			Ruta: simuladortest.RutaNotificarCoincidencia, Tipo: simuladortest.FallaLentitud, EsperaMs: 600_000,
		})
		if elsewhere {
			replica := integraciontest.Start(t, integraciontest.Options{PuiTimeout: time.Minute, Database: &s.Database})
			s.conn = replica.Dial()
		}
		answers := make(chan *integracionv1.NotifyCoincidenciaResponse, 1)
		go func() {
			answer, err := s.entregas().NotifyCoincidencia(t.Context(), newNotify(empresaA))
			if err != nil {
				t.Error(err)
			}
			answers <- answer
		}()
		s.simulador.WaitReceived(simuladortest.Filtro{Ruta: simuladortest.RutaNotificarCoincidencia}, 1)

		started := time.Now()
		s.deactivate(t, empresaA)
		if taken := time.Since(started); taken > 30*time.Second {
			t.Errorf("the deactivation took %v", taken)
		}
		if answer := <-answers; answer.GetResultado() != cancelado {
			t.Errorf("answer %v", answer)
		}
	}
}

// gate is a network that holds notifications on their way until it is opened. One whose
// sender has hung up by then is lost, as it would be.
type gate struct {
	arrived chan struct{}
	open    chan struct{}
}

// hangUpNoticed is how long the gate looks for a sender that hung up.
const hangUpNoticed = 100 * time.Millisecond

func (s *sistema) behindAGate(t *testing.T, empresa tenant.EmpresaID) *gate {
	t.Helper()
	g := &gate{arrived: make(chan struct{}, 1), open: make(chan struct{})}
	target, err := url.Parse(s.simulador.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/notificar-coincidencia" && !g.pass(r) {
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.SetClaveSalida(empresa, server.URL, claveSim)
	return g
}

func (g *gate) pass(r *http.Request) bool {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	g.arrived <- struct{}{}
	<-g.open
	select {
	case <-r.Context().Done():
		return false
	case <-time.After(hangUpNoticed):
		return true
	}
}

// TestDeactivation_isAnsweredOnceTheAttemptIsOver holds a notification on its way while
// its Reporte is deactivated: it must not arrive after the answer.
func TestDeactivation_isAnsweredOnceTheAttemptIsOver(t *testing.T) {
	t.Parallel()
	for _, elsewhere := range []bool{false, true} {
		s := start(t, integraciontest.Options{})
		network := s.behindAGate(t, empresaA)
		s.activateLongAgo(t, empresaA)
		if elsewhere {
			s.conn = integraciontest.Start(t, integraciontest.Options{Database: &s.Database}).Dial()
		}
		var group sync.WaitGroup
		group.Go(func() {
			answer, err := s.entregas().NotifyCoincidencia(t.Context(), newNotify(empresaA))
			if err != nil || answer.GetResultado() != cancelado {
				t.Errorf("answer %v, %v", answer, err)
			}
		})
		<-network.arrived
		s.deactivate(t, empresaA)
		close(network.open)
		group.Wait()
		if got := s.notified(); len(got) != 0 {
			t.Errorf("%d notifications arrived after the deactivation was answered", len(got))
		}
	}
}

// TestDeactivation_nothingArrivesAfterwards lets many notifications race the deactivation.
func TestDeactivation_nothingArrivesAfterwards(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	replica := integracionv1.NewEntregaServiceClient(
		integraciontest.Start(t, integraciontest.Options{Database: &s.Database}).DialAsRegistros())
	for round := range int32(5) {
		s.simulador.ClearReceived()
		s.activateLongAgo(t, empresaA)
		var group sync.WaitGroup
		stop := make(chan struct{})
		for i := range 16 {
			client := []integracionv1.EntregaServiceClient{s.entregas(), replica}[i%2]
			group.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					req := newNotify(empresaA)
					req.Ciclo = round + 1
					_, err := client.NotifyCoincidencia(t.Context(), req)
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		s.simulador.WaitReceived(simuladortest.Filtro{Ruta: simuladortest.RutaNotificarCoincidencia}, 20)
		s.deactivate(t, empresaA)
		answered := time.Now()
		// The senders go on asking for a while, and get nothing through.
		for range 50 {
			if answer := s.notify(t, newNotify(empresaA)); answer.GetResultado() != cancelado {
				t.Errorf("answer %v", answer)
			}
		}
		close(stop)
		group.Wait()
		for _, each := range s.notified() {
			if each.RecibidoEn.After(answered) {
				t.Errorf("round %d: %v after the deactivation was answered", round, each.RecibidoEn.Sub(answered))
			}
		}
	}
}
