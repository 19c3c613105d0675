package entregas

import (
	"math/rand/v2"
	"time"

	"github.com/enlace-iis/enlace/services/internal/envio"
)

// Desenlace is the outcome of an attempt.
type Desenlace struct {
	Resultado envio.Resultado
	// Status is the HTTP status, 0 without an answer.
	Status int
	// Motivo is a short stable code for the history and the log, such as "limite".
	Motivo string
	// Detalle says it to the institution, in Spanish; of a rejection, the platform's own
	// words. Empty if accepted.
	Detalle string
	// RetryAfter is how long the platform asked to be left alone; 0: it did not.
	RetryAfter time.Duration
	// Falla is what concerns the institution's connection as a whole and not this message:
	// the platform is away, overloaded, or does not let us in. The circuit counts these.
	Falla bool
}

// LongestRetry is how long the platform is left alone at most, whatever it asks for.
const LongestRetry = time.Hour

const (
	firstPause    = time.Second
	longestPause  = 5 * time.Minute
	maxDoublings  = 9 // beyond it every pause is the longest
	jitterDivisor = 5 // a fifth to either side
)

// pauseAfter is how long to wait after an attempt failed: about a second after the first,
// doubling to at most five minutes. What the platform asked for goes before that, up to an
// hour.
func (d Desenlace) pauseAfter(attempt int) time.Duration {
	if d.RetryAfter > 0 {
		return min(max(d.RetryAfter, firstPause), LongestRetry)
	}
	return doubled(firstPause, longestPause, attempt)
}

// doubled is first for n = 1, twice as long for each n more, at most longest, and then
// spread so that what failed together does not come back together.
func doubled(first, longest time.Duration, n int) time.Duration {
	pause := min(first<<min(max(n-1, 0), maxDoublings), longest)
	spread := pause / jitterDivisor
	return min(pause-spread+rand.N(2*spread), longest) //nolint:gosec // spreading load needs no secrecy
}
