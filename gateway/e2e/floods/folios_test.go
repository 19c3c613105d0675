//go:build linux && floods

package floods

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

// usualRecord is what one record of a quiet institution may take beside a neighbour whose own
// writes wait for each other, on a machine that makes those too.
const usualRecord = 250 * time.Millisecond

// TestSameFolios has one institution send 60 events at once and four batches at once, all of
// the same folios: they wait for each other's rows, and a neighbour's record for none of them.
func TestSameFolios(t *testing.T) {
	crowd := system.NewInstitucion(t)
	key := system.IssueApiKey(t, &integracionv1.IssueApiKeyRequest{IdEmpresa: crowd.ID, Nombre: "eventos", Ambitos: []string{"cliente", "eventos"}})
	sender := newSender(t, key.GetApiKey(), "203.0.113.50", 0)
	neighbour := newSender(t, system.NewInstitucion(t).ApiKey, "203.0.113.51", 0)
	calm := medianRecord(t, neighbour)

	ctx, end := context.WithCancel(t.Context())
	seen := &tally{count: map[int]int{}}
	var sent atomic.Int64
	var sending sync.WaitGroup
	repeat := func(send func(n int64) (int, error)) {
		sending.Go(func() {
			for ctx.Err() == nil {
				status, err := send(sent.Add(1))
				if err == nil {
					seen.add(status)
				}
			}
		})
	}
	for range 4 {
		repeat(func(n int64) (int, error) {
			return sender.status(ctx, http.MethodPost, "/cliente/registros/lote",
				bytes.NewReader(bytes.ReplaceAll(ordinary(), []byte("planta baja"), fmt.Appendf(nil, "planta %d", n))))
		})
	}
	for worker := range 60 {
		repeat(func(n int64) (int, error) {
			id := fmt.Sprintf("evento-%d", n)
			body := fmt.Appendf(nil, `{"id":"%s","tipo":"registro.actualizado","fecha":"%s","datos":{"folio":"F-%d","curp":"PEXA900115HDFRXN06",`+
				`"tipo_evento":"Toma de muestra","fecha_evento":"2026-01-15","descripcion_lugar_evento":"Sucursal %d"}}`,
				id, time.Now().UTC().Format(time.RFC3339), worker, n)
			var headers []string
			for name, values := range harness.SignEvento(t, key.GetApiKey(), key.GetSecretoWebhook(), id, body) {
				headers = append(headers, name, values[0])
			}
			return sender.status(ctx, http.MethodPost, "/webhooks/eventos", bytes.NewReader(body), headers...)
		})
	}
	harness.Eventually(t, "the crowd's events and batches are answered", func() bool {
		return seen.of(http.StatusAccepted) > 0 && seen.of(http.StatusOK) > 0
	})
	crowded := medianRecord(t, neighbour)
	end()
	sending.Wait()
	t.Logf("a neighbour's record: %s beside the crowd, %s without; answers to the crowd: %v", crowded, calm, seen.count)
	if seen.count[http.StatusAccepted] == 0 || seen.count[http.StatusOK] == 0 {
		t.Error("the crowd wrote nothing")
	}
	if *slower > 0 && crowded > max(time.Duration(*slower)*calm, usualRecord) {
		t.Errorf("a neighbour's record takes %s beside the crowd, %s without", crowded, calm)
	}
}

// medianRecord sends single records one after the other, for some seconds.
func medianRecord(t *testing.T, s *sender) time.Duration {
	t.Helper()
	var times []time.Duration
	for ends, n := time.Now().Add(4*time.Second), 0; time.Now().Before(ends) || n < least; n++ {
		body := fmt.Sprintf(`[{"folio":"V-%d","curp":"PEXA900115HDFRXN06","tipo_evento":"Toma de muestra","fecha_evento":"2026-01-15","nombre":"%s"}]`,
			n, strings.Repeat("N", 1+int(time.Now().UnixNano()%40)))
		began := time.Now()
		status, err := s.status(t.Context(), http.MethodPost, "/cliente/registros", strings.NewReader(body))
		times = append(times, time.Since(began))
		if err != nil || status != http.StatusOK && status != http.StatusCreated {
			t.Errorf("record %d: got %d %v", n, status, err)
		}
	}
	slices.Sort(times)
	return times[len(times)/2]
}
