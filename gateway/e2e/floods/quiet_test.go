//go:build linux && floods

package floods

import (
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	// rounds of each kind take turns, so that whatever else the machine does falls on both.
	rounds = 3
	// asked is how many requests a round has, unless it takes too long; then the least.
	asked, least = 60, 10
	longest      = 2 * time.Second
	// Below floor the machine's own moods decide: with two cores it has the flood to make as
	// well, sixteen MiB a request.
	floor = time.Second
)

// slower is how much longer a quiet institution's slowest requests may take in a flood
// (architecture.md section 6). It means nothing on a machine that does other things.
var slower = flag.Int("slower", 5, "how many times as long a quiet institution may wait in a flood; 0: only told")

// A quiet institution asks one thing after the other.
type quiet struct {
	*sender
	sent int
}

// round asks, and gives the slowest hundredth. Everything must succeed.
func (q *quiet) round(t *testing.T) time.Duration {
	t.Helper()
	times := make([]time.Duration, 0, asked)
	began := time.Now()
	for n := 0; n < asked && (n < least || time.Since(began) < longest); n++ {
		started := time.Now()
		q.ask(t)
		times = append(times, time.Since(started))
	}
	slices.Sort(times)
	return times[len(times)-1-len(times)/100]
}

func (q *quiet) ask(t *testing.T) {
	t.Helper()
	q.sent++
	method, path, body := http.MethodPost, "/cliente/sandbox/ping", "{}"
	switch q.sent % 4 {
	case 3:
		path = "/cliente/registros/lote"
		body = lote
	case 1:
		path = "/cliente/registros"
		body = fmt.Sprintf(`[{"folio":"Q-%d","curp":"PEXA900115HDFRXN06","tipo_evento":"Toma de muestra","fecha_evento":"2026-01-15"}]`, q.sent)
	case 2:
		method, path, body = http.MethodGet, "/cliente/casos", ""
	}
	status, err := q.status(t.Context(), method, path, strings.NewReader(body))
	if err != nil || status != http.StatusOK && status != http.StatusCreated {
		t.Errorf("quiet %s: %d %v", path, status, err)
	}
}

// lote is too large to need no room while it arrives.
var lote = func() string {
	records := make([]string, 200)
	for n := range records {
		records[n] = fmt.Sprintf(`{"folio":"L-%d","curp":"PEXA900115HDFRXN06","tipo_evento":"Toma de muestra","fecha_evento":"2026-01-15"}`, n)
	}
	return "[" + strings.Join(records, ",") + "]"
}()

// wantUndisturbed compares the medians.
func wantUndisturbed(t *testing.T, calm, noisy []time.Duration) {
	t.Helper()
	slices.Sort(calm)
	slices.Sort(noisy)
	before, during := calm[len(calm)/2], noisy[len(noisy)/2]
	t.Logf("slowest hundredth: %s in a flood, %s without", during, before)
	if *slower > 0 && during > max(time.Duration(*slower)*before, floor) {
		t.Errorf("a quiet institution waits %s in a flood, %s without", during, before)
	}
}
