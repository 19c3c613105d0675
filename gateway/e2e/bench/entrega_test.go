package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

const (
	// openCases are there while deliveries are measured (architecture.md, section 6).
	openCases = 10_000
	// writers send single records at once, streamed in all.
	writers, streamed = 4, 1_000
	// batched is how many records of one batch match.
	batched = 500
	// goal is what 99 of 100 notifications must stay below.
	goal = 5 * time.Second
	// openingLimit bounds how long the cases take to be opened and searched.
	openingLimit = 20 * time.Minute
)

// BenchmarkEntrega measures how long a record that matches takes to reach the platform, from
// before it is sent until the simulator has its notification, with 10 000 open cases:
// in a stream of single records, and in a batch of which 500 match.
func BenchmarkEntrega(b *testing.B) {
	i := openedCases(b)
	round := 0
	for b.Loop() {
		round++
		report(b, "stream", i.measure(b, round, streamed, i.stream))
		report(b, "batch", i.measure(b, round, batched, i.batch))
	}
}

func report(b *testing.B, name string, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	p50, p99 := took[len(took)/2], took[len(took)*99/100]
	b.ReportMetric(p50.Seconds(), name+"-p50-s")
	b.ReportMetric(p99.Seconds(), name+"-p99-s")
	b.Logf("%s of %d with %d open cases: p50 %v, p99 %v, longest %v (goal: p99 < %v)",
		name, len(took), openCases, p50, p99, took[len(took)-1], goal)
	if p99 >= goal {
		b.Errorf("%s: p99 is %v, the goal is %v", name, p99, goal)
	}
}

// institucion is the one with the open cases.
type institucion struct{ *harness.Institucion }

// openedCases starts a system and opens the cases in the quickest way that is real: by the
// platform's list of reports.
func openedCases(b *testing.B) institucion {
	b.Helper()
	s := startDurable(b, map[string]string{"RESYNC_INTERVAL": "5s"})
	i := institucion{s.NewInstitucion(b)}
	reports := make([]map[string]string, openCases)
	for n := range reports {
		reports[n] = map[string]string{"id": harness.ReporteID(n), "curp": curp(n), "fecha_desaparicion": harness.Day(-10)}
	}
	i.Plataforma.SetReportes(i.ID, reports)
	started := time.Now()
	i.Plataforma.WaitReceived(simuladortest.Filtro{
		InstitucionID: i.ID, Ruta: simuladortest.RutaBusquedaFinalizada, Espera: openingLimit,
	}, openCases)
	b.Logf("%d cases opened, searched and finished in %v", openCases, time.Since(started).Round(time.Second))
	return i
}

func curp(n int) string { return fmt.Sprintf("BNCH%06dHDFABCA1", n) }

// measure sends n matching records and gives how long each took to be received.
func (i institucion) measure(b *testing.B, round, n int, send func(b *testing.B, records []any) []time.Time) []time.Duration {
	b.Helper()
	records := make([]any, n)
	for k := range records {
		records[k] = harness.Registro(fmt.Sprintf("F-%d-%d-%d", round, n, k), curp(k), harness.Day(0))
	}
	before := i.Plataforma.Received(simuladortest.Filtro{InstitucionID: i.ID})
	sent := send(b, records)
	arrivals := i.Plataforma.WaitReceived(simuladortest.Filtro{
		InstitucionID: i.ID, Ruta: simuladortest.RutaNotificarCoincidencia, Desde: before[len(before)-1].N, Espera: openingLimit,
	}, n)
	byCurp := make(map[string]time.Time, n)
	for _, a := range arrivals {
		var body struct{ Curp string }
		err := json.Unmarshal(a.Cuerpo, &body)
		if err != nil {
			b.Fatal(err)
		}
		byCurp[body.Curp] = a.RecibidoEn
	}
	took := make([]time.Duration, n)
	for k := range took {
		received, found := byCurp[curp(k)]
		if !found {
			b.Fatalf("the match of record %d was not received", k)
		}
		took[k] = received.Sub(sent[k])
	}
	return took
}

// stream sends the records one by one from a few writers, and gives when each began.
func (i institucion) stream(b *testing.B, records []any) []time.Time {
	b.Helper()
	sent := make([]time.Time, len(records))
	next := make(chan int)
	var writing sync.WaitGroup
	for range writers {
		writing.Go(func() {
			for k := range next {
				sent[k] = time.Now()
				i.save(b, "/cliente/registros", records[k])
			}
		})
	}
	for k := range records {
		next <- k
	}
	close(next)
	writing.Wait()
	return sent
}

// batch sends all records at once.
func (i institucion) batch(b *testing.B, records []any) []time.Time {
	b.Helper()
	sent := slices.Repeat([]time.Time{time.Now()}, len(records))
	i.save(b, "/cliente/registros/lote", records)
	return sent
}

// save may be called from any goroutine.
func (i institucion) save(b *testing.B, path string, body any) {
	b.Helper()
	status, err := harness.Status(b.Context(), i.BaseURL+path, http.Header{"X-Api-Key": {i.ApiKey}}, body)
	if err != nil || status >= http.StatusMultipleChoices {
		b.Errorf("save: status %d, %v", status, err)
	}
}
