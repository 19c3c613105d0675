package pui

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

func TestClient_cancelledRequestThatIsOutMayStillBeAnswered(t *testing.T) {
	arrived, goOn := make(chan struct{}), make(chan struct{})
	server := platform(t, func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-goOn
	})
	ctx, cancel := context.WithCancel(t.Context())
	outcome := make(chan entregas.Desenlace)
	client := newClient(t, time.Minute)
	go func() {
		outcome <- client.NotifyCoincidencia(ctx, institucionAt(server.URL), newCoincidencia(manual.FaseBasicos))
	}()
	<-arrived
	cancel()
	close(goOn)
	if d := <-outcome; d.Resultado != envio.Aceptado {
		t.Errorf("outcome %+v", d)
	}
}

func TestClient_cancelledRequestIsNotWaitedForLong(t *testing.T) {
	arrived, goOn := make(chan struct{}), make(chan struct{})
	server := platform(t, func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-goOn
	})
	defer close(goOn)
	ctx, cancel := context.WithCancel(t.Context())
	outcome := make(chan entregas.Desenlace)
	client := newClient(t, time.Minute)
	go func() {
		outcome <- client.NotifyCoincidencia(ctx, institucionAt(server.URL), newCoincidencia(manual.FaseBasicos))
	}()
	<-arrived
	cancelled := time.Now()
	cancel()
	d := <-outcome
	if waited := time.Since(cancelled); d.Resultado != envio.MasTarde || d.Falla || waited < settleTime || waited > 10*settleTime {
		t.Errorf("outcome %+v after %v", d, waited)
	}
}

func TestClient_nothingIsSentOnceCancelled(t *testing.T) {
	var sent atomic.Int32
	server := platform(t, func(http.ResponseWriter, *http.Request) { sent.Add(1) })
	client := newClient(t, time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	d := client.NotifyCoincidencia(ctx, institucionAt(server.URL), newCoincidencia(manual.FaseBasicos))
	if d.Resultado != envio.Aceptado {
		t.Fatalf("outcome %+v", d)
	}
	cancel()
	d = client.NotifyCoincidencia(ctx, institucionAt(server.URL), newCoincidencia(manual.FaseBasicos))
	if d.Resultado != envio.MasTarde || sent.Load() != 1 {
		t.Errorf("outcome %+v, %d sent", d, sent.Load())
	}
}
