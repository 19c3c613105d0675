package bench

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

const (
	// streamed records come one by one, so many a second at most.
	streamed = 1000
	pace     = 100
)

// matches sends records that match in full batches, one after the other, until all is told.
func matches(s *session) {
	s.fillAll()
	n := s.options.matches
	s.openReported(n)
	name := fmt.Sprintf("%d at once", n)
	for range s.options.rounds {
		records := s.matching(n)
		sent := make([]time.Time, 0, n)
		before, started := s.cpu(programs...), time.Now()
		for from := 0; from < n; from += batchSize {
			part := records[from:min(from+batchSize, n)]
			for range part {
				sent = append(sent, time.Now())
			}
			s.ours.post(lotePath, body(s.tb, part))
		}
		delays := s.delays(records, sent)
		s.note(name, "told", float64(n)/time.Since(started).Seconds())
		s.note(name, cpu, (s.cpu(programs...)-before)/float64(n))
		s.note(name, "p99", percentile(delays, 99))
	}
}

// stream sends records that match one by one, at a pace.
func stream(s *session) {
	s.fillAll()
	n := min(streamed, s.options.matches)
	s.openReported(n)
	for range s.options.rounds {
		records := s.matching(n)
		sent := make([]time.Time, n)
		due := time.NewTicker(time.Second / pace)
		atOnce(callers, func(k int) {
			<-due.C
			sent[k] = time.Now()
			s.ours.post(lotePath, body(s.tb, records[k:k+1]))
		}, func(k int) bool { return k < n })
		due.Stop()
		delays := s.delays(records, sent)
		s.note("", "p50", percentile(delays, 50))
		s.note("", "p99", percentile(delays, 99))
	}
}

// openReported sees to it that the platform has reported n persons.
func (s *session) openReported(n int) {
	missing := n - s.reported
	if missing > 0 {
		s.activate(missing)
		s.told(simuladortest.RutaBusquedaFinalizada, missing)
	}
	s.empresa.Plataforma.ClearReceived()
}

// matching makes new records of n persons who were reported.
func (s *session) matching(n int) []registro {
	records := make([]registro, n)
	for k := range records {
		records[k] = registroOf(newPersona(reportedPersons+k), s.numbers+k, true)
		records[k].FechaEvento = harness.Day(0)
	}
	s.numbers += n
	return records
}

// delays gives the seconds from when each record was sent until the platform had its match, and
// forgets what it had.
func (s *session) delays(records []registro, sent []time.Time) []float64 {
	s.tb.Helper()
	received := make(map[string]time.Time, len(records))
	for _, arrival := range s.told(simuladortest.RutaNotificarCoincidencia, len(records)) {
		var match struct{ Curp string }
		err := json.Unmarshal(arrival.Cuerpo, &match)
		if err != nil {
			s.tb.Fatal(err)
		}
		received[match.Curp] = arrival.RecibidoEn
	}
	delays := make([]float64, len(records))
	for k, r := range records {
		at, found := received[r.CURP]
		if !found {
			s.tb.Fatalf("the match of record %d was not received", k)
		}
		delays[k] = at.Sub(sent[k]).Seconds()
	}
	s.empresa.Plataforma.ClearReceived()
	return delays
}
