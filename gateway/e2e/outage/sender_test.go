//go:build citus || disk

package outage

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

const (
	// answerLimit is the longest that a request waits for any answer.
	answerLimit = 10 * time.Second
	// pace is between two requests of a sender.
	pace = 50 * time.Millisecond
)

// sender is an institution that sends one record after the other, each until it is accepted,
// and each of the person whom the platform seeks.
type sender struct {
	*harness.Institucion
	stop func()

	mu       sync.Mutex
	accepted []any
	// statuses counts the answers, 0 those that did not come in time.
	statuses map[int]int
}

// startSender has an institution send until the test ends or stop is called.
func startSender(t *testing.T, i *harness.Institucion) *sender {
	t.Helper()
	s := &sender{Institucion: i, statuses: map[int]int{}}
	s.search(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	var sending sync.WaitGroup
	sending.Go(func() { s.send(ctx) })
	s.stop = func() {
		cancel()
		sending.Wait()
	}
	t.Cleanup(s.stop)
	return s
}

// search has the platform seek a person to the end of that, and from then on.
func (s *sender) search(t *testing.T, n int) {
	t.Helper()
	s.Activate(t, activation(n))
	harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(s.Told(harness.ReporteID(n)), harness.Fin) })
}

// activation is of the person whose records are sent, or of another one.
func activation(n int) map[string]any {
	curps := map[int]string{1: harness.CurpUno, 2: harness.CurpDos}
	return map[string]any{"id": harness.ReporteID(n), "curp": curps[n], "fecha_desaparicion": harness.Day(-10)}
}

func (s *sender) send(ctx context.Context) {
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	for n := 0; ; {
		if s.try(harness.Registro(fmt.Sprintf("S-%d", n), harness.CurpUno, harness.Day(0))) {
			n++
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// try sends a record once. It is not cut off when the test stops: its answer is counted too.
func (s *sender) try(record map[string]any) (accepted bool) {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	status, err := harness.Status(ctx, s.BaseURL+"/cliente/registros", http.Header{"X-Api-Key": {s.ApiKey}}, record)
	if err != nil {
		status = 0
	}
	accepted = status == http.StatusOK || status == http.StatusCreated
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statuses[status]++
	if accepted {
		s.accepted = append(s.accepted, record)
	}
	return accepted
}

// count tells how often a status was answered.
func (s *sender) count(statuses ...int) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, status := range statuses {
		n += s.statuses[status]
	}
	return n
}

// goesOn waits until so many more records are accepted.
func (s *sender) goesOn(t *testing.T) {
	t.Helper()
	const more = 20
	before := s.count(http.StatusOK, http.StatusCreated)
	harness.Eventually(t, "the acceptance of more records of "+s.ID, func() bool {
		return s.count(http.StatusOK, http.StatusCreated) >= before+more
	})
}

// wantStatuses holds the answers of a sender that has stopped against those that it may get.
func (s *sender) wantStatuses(t *testing.T, allowed ...int) {
	t.Helper()
	for _, status := range slices.Sorted(maps.Keys(s.statuses)) {
		if !slices.Contains(allowed, status) {
			t.Errorf("%s was answered %d, %d times of %v", s.ID, status, s.statuses[status], s.statuses)
		}
	}
}

// wantAll holds that every accepted record is there, as it was sent, and that the platform is
// told each once.
func (s *sender) wantAll(t *testing.T) {
	t.Helper()
	var again struct {
		SinCambios int `json:"sin_cambios"`
	}
	s.Post(t, "/cliente/registros/lote", s.accepted).Want(t, http.StatusOK).Into(t, &again)
	if again.SinCambios != len(s.accepted) {
		t.Errorf("%d of %d accepted records of %s are there", again.SinCambios, len(s.accepted), s.ID)
	}
	var all []harness.Coincidencia
	harness.Eventually(t, "the last notification of "+s.ID, func() bool {
		all = s.Coincidencias(t)
		return !slices.ContainsFunc(all, func(c harness.Coincidencia) bool { return c.Estado != "notificada" })
	})
	if len(all) != len(s.accepted) {
		t.Errorf("%s accepted %d records and has %d matches", s.ID, len(s.accepted), len(all))
	}
}
