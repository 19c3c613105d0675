package bench

import (
	"sync"
	"time"
)

// A side is one of those that do the same thing in a round.
type side struct {
	column string
	// run does it once and gives its figure.
	run func() float64
}

// rounds lets the sides do their thing in turn, as often as asked. Who begins changes with
// each round, so that nobody always finds the machine as the same other left it.
func (s *session) rounds(name string, sides ...side) {
	for round := range s.options.rounds {
		s.round(round, name, sides...)
	}
}

func (s *session) round(round int, name string, sides ...side) {
	for k := range sides {
		turn := sides[(k+round)%len(sides)]
		s.note(name, turn.column, turn.run())
	}
}

// callers call at once where a measure does not say otherwise.
const callers = 8

// took gives the seconds that f takes.
func took(f func()) float64 {
	started := time.Now()
	f()
	return time.Since(started).Seconds()
}

// atOnce calls f from a number of callers until stop, and gives how often it was called.
func atOnce(callers int, f func(call int), more func(call int) bool) int {
	var mu sync.Mutex
	next := 0
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if !more(next) {
			return 0, false
		}
		next++
		return next - 1, true
	}
	var working sync.WaitGroup
	for range callers {
		working.Go(func() {
			for call, ok := take(); ok; call, ok = take() {
				f(call)
			}
		})
	}
	working.Wait()
	return next
}

// rate gives how often f can be called a second by a number of callers.
func (s *session) rate(callers int, f func()) float64 {
	started := time.Now()
	calls := atOnce(callers, func(int) { f() }, func(int) bool { return time.Since(started) < s.options.window })
	return float64(calls) / time.Since(started).Seconds()
}
