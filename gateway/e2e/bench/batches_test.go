package bench

import "fmt"

const (
	lotePath = "/cliente/registros/lote"
	// batchSize is the greatest batch.
	batchSize = 5_000
)

// A writer saves records as one side does. What it prepares is not measured.
type writer struct {
	column  string
	prepare func(records []registro) (save func())
}

// writers are the sides of a batch.
func (s *session) writers() []writer {
	byHTTP := func(c *caller) func([]registro) func() {
		return func(records []registro) func() {
			text := body(s.tb, records)
			return func() { c.post(lotePath, text) }
		}
	}
	return []writer{
		{ours, byHTTP(s.ours)},
		{peer, byHTTP(s.peer)},
		{bare, func(records []registro) func() {
			rows := s.rowsOf(records)
			return func() { s.copyBare(rows) }
		}},
	}
}

// batches sends full batches: new ones, the same again, and again with half of it changed.
func batches(s *session) {
	s.fillAll()
	for _, wide := range []bool{true, false} {
		for round := range s.options.rounds {
			sent := map[string][]registro{}
			s.sendBatches(round, "new, "+width(wide), func(column string) []registro {
				sent[column] = s.fresh(batchSize, wide)
				return sent[column]
			})
			s.sendBatches(round, "repeated, "+width(wide), func(column string) []registro { return sent[column] })
			s.sendBatches(round, "half changed, "+width(wide), func(column string) []registro { return changed(sent[column]) })
		}
	}
}

func width(wide bool) string {
	if wide {
		return "wide"
	}
	return "narrow"
}

// sendBatches has each writer send its records.
func (s *session) sendBatches(round int, name string, records func(column string) []registro) {
	var sides []side
	for _, w := range s.writers() {
		save := w.prepare(records(w.column))
		sides = append(sides, side{w.column, func() float64 { return took(save) }})
	}
	s.round(round, name, sides...)
}

const (
	smallBatch = 500
	// smallBatches are sent in a round of batchesAtOnce.
	smallBatches = 16
)

// batchesAtOnce sends batches of new records from several callers, and counts records a second.
func batchesAtOnce(s *session) {
	s.fillAll()
	for _, callers := range []int{1, 2, 4, 8} {
		for round := range s.options.rounds {
			var sides []side
			for _, w := range s.writers()[:2] {
				saves := make([]func(), smallBatches)
				for k := range saves {
					saves[k] = w.prepare(s.fresh(smallBatch, true))
				}
				sides = append(sides, side{w.column, func() float64 {
					return smallBatches * smallBatch / took(func() {
						atOnce(callers, func(call int) { saves[call]() }, func(call int) bool { return call < len(saves) })
					})
				}})
			}
			s.round(round, fmt.Sprintf("c = %d", callers), sides...)
		}
	}
}

// singles is how many batches of one record make a round's p50.
const singles = 200

// single sends batches of one new record, one after the other.
func single(s *session) {
	s.fillAll()
	writers := s.writers()
	writers[2].prepare = func(records []registro) func() {
		row := s.rowsOf(records)[0]
		return func() { s.unnestBare(row) }
	}
	var sides []side
	for _, w := range writers {
		sides = append(sides, side{w.column, func() float64 {
			each := make([]float64, singles)
			for k := range each {
				each[k] = took(w.prepare(s.fresh(1, true)))
			}
			return percentile(each, 50)
		}})
	}
	s.rounds("", sides...)
}
