package bench

import "strconv"

// growTable tells what a record of a batch of 500 costs as the table grows.
func growTable(s *session) {
	for records := 10_000; records <= s.options.records; records *= 10 {
		s.fill(records, 1000)
		s.recordOf(records, smallBatch)
	}
}

// growCases tells the same as cases are opened.
func growCases(s *session) {
	for cases := 1000; cases <= s.options.cases; cases *= 10 {
		s.fill(s.options.records, cases)
		s.recordOf(cases, smallBatch)
	}
}

// growBatch tells it as the batch grows.
func growBatch(s *session) {
	s.fillAll()
	for _, size := range []int{1, 10, 100, smallBatch, 1000, batchSize} {
		s.recordOf(size, size)
	}
}

// recordOf notes, at a point of the axis, the seconds that a new record of a batch costs. A
// small batch is sent a few times for a sample.
func (s *session) recordOf(point, size int) {
	for round := range s.options.rounds {
		var sides []side
		for _, w := range s.writers() {
			saves := make([]func(), max(1, smallBatch/size/5))
			for k := range saves {
				saves[k] = w.prepare(s.fresh(size, true))
			}
			sides = append(sides, side{w.column, func() float64 {
				return took(func() {
					for _, save := range saves {
						save()
					}
				}) / float64(len(saves)*size)
			}})
		}
		s.round(round, strconv.Itoa(point), sides...)
	}
}
