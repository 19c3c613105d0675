package bench

import (
	"sync/atomic"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// An institution joins where another has all the records: PostgreSQL has counted the tables, and knows
// nothing of it.

// firstMatches sends the first batches of an institution for whose persons the platform looks: one in
// which all records match, and one in which none does.
func firstMatches(s *session) {
	s.fillAll()
	n := min(batchSize, s.options.matches)
	for round := range s.options.rounds {
		i := s.system.NewInstitucion(s.tb)
		s.report(i, 0, n)
		s.toldBy(i, simuladortest.RutaBusquedaFinalizada, n)
		c := newCaller(s.tb, i.BaseURL, apiKey, i.ApiKey)
		matching, others := body(s.tb, s.matching(n)), body(s.tb, s.fresh(n, true))
		s.round(round, "",
			side{ours, func() float64 {
				taken := took(func() { c.post(lotePath, matching) })
				s.toldBy(i, simuladortest.RutaNotificarCoincidencia, n) // not beside what comes next
				return taken
			}},
			side{"no match", func() float64 { return took(func() { c.post(lotePath, others) }) }},
		)
		i.Plataforma.ClearReceived()
	}
}

// firstList has the platform list many reports to an institution that joins, and looks at how long
// another one waits for a record until all of their searches have ended.
func firstList(s *session) {
	s.fillAll()
	n := s.options.activations
	list := make([]map[string]any, n)
	for k := range list {
		list[k] = reporteOf(k)
	}
	for range s.options.rounds {
		i := s.system.NewInstitucion(s.tb)
		i.Plataforma.SetReportes(i.ID, list)
		s.note("", "quiet", s.slowest(func(call int) bool { return call < singles }))

		var ended atomic.Bool
		slowest := make(chan float64)
		go func() {
			slowest <- s.slowest(func(call int) bool { return call < singles || !ended.Load() })
		}()
		// The comparison with which it joined may be under way still, and takes no second one beside.
		harness.Eventually(s.tb, "the first listed report", func() bool {
			s.system.Operate(s.tb, "", nil, "resincronizar", "--id-empresa", i.ID)
			return len(i.Plataforma.Received(simuladortest.Filtro{InstitucionID: i.ID, Ruta: simuladortest.RutaBusquedaFinalizada, Espera: 2 * time.Second})) > 0
		})
		ends := s.toldBy(i, simuladortest.RutaBusquedaFinalizada, n)
		ended.Store(true)
		s.note("", "p99", <-slowest)
		s.note("", "ended", float64(n-1)/ends[n-1].RecibidoEn.Sub(ends[0].RecibidoEn).Seconds())
		i.Plataforma.ClearReceived()
	}
}

// slowest saves one record after the other, and gives the p99.
func (s *session) slowest(more func(call int) bool) float64 {
	var each []float64
	for call := 0; more(call); call++ {
		text := body(s.tb, s.fresh(1, true))
		each = append(each, took(func() { s.ours.post(lotePath, text) }))
	}
	return percentile(each, 99)
}
