package entregas

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Circuito keeps an outage of the platform from costing more than a probe now and then,
// and its return from being a flood. Each institution has its own. The one here is held in
// memory; one that replicas share needs only these two interfaces.
type Circuito interface {
	// Acquire asks to send. It gives a permit, which must be returned, or nil and how long
	// to wait.
	Acquire(empresa tenant.EmpresaID) (Permiso, time.Duration)
}

// Permiso is the right to one send; exactly one of its methods is to be called.
type Permiso interface {
	// Succeeded says that the platform answered.
	Succeeded()
	// Failed says that it did not, and how long it asked to be left alone, if it did. It
	// gives how long to wait before the next try; 0: as long as the sender likes.
	Failed(retryAfter time.Duration) time.Duration
	// Unclear says that it answered with an error which may be the message's own fault. It
	// gives how long to wait until an outage is to be probed again; 0: there seems to be none.
	Unclear() time.Duration
	// Unused says that nothing was sent after all.
	Unused()
}

const (
	// openAfter failures in a row an institution's circuit opens.
	openAfter = 5
	// The pause before a probe doubles from the first to the longest, so that the platform
	// is probed within ten seconds of its return.
	firstProbe   = time.Second
	longestProbe = 8 * time.Second
	// fullRecovery sends at once are as good as no limit: the circuit is closed again.
	fullRecovery = 64
	// probing is about how long to wait while others are finding out.
	probing = time.Second
	// longestSpread is over how long who was turned away in a long outage comes back. With
	// the longest probe it makes the longest pause.
	longestSpread = longestPause - longestProbe
)

// MemoryCircuito is the Circuito of one process. Safe for concurrent use.
type MemoryCircuito struct {
	// Recovered is told of each institution that the platform answers again after an
	// outage. It must not wait. Nil: nobody is.
	Recovered func(empresa tenant.EmpresaID)

	mu       sync.Mutex
	circuits map[tenant.EmpresaID]*circuit
}

// NewMemoryCircuito makes a circuit that is closed for everybody.
func NewMemoryCircuito() *MemoryCircuito {
	return &MemoryCircuito{circuits: map[tenant.EmpresaID]*circuit{}}
}

// EstadoCircuito is how an institution's circuit stands.
type EstadoCircuito string

// The states of a circuit. One that nobody has used since its pause was over recovers.
const (
	CircuitoCerrado        EstadoCircuito = "closed"
	CircuitoAbierto        EstadoCircuito = "open"
	CircuitoEnRecuperacion EstadoCircuito = "recovering"
)

// Count tells how many institutions are in each state, of those that were sent for.
func (m *MemoryCircuito) Count() map[EstadoCircuito]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	counts := map[EstadoCircuito]int{CircuitoCerrado: 0, CircuitoAbierto: 0, CircuitoEnRecuperacion: 0}
	now := time.Now()
	for _, c := range m.circuits {
		counts[c.estado(now)]++
	}
	return counts
}

func (c *circuit) estado(now time.Time) EstadoCircuito {
	switch {
	case c.limit == 0:
		return CircuitoCerrado
	case now.Before(c.pausedUntil):
		return CircuitoAbierto
	default:
		return CircuitoEnRecuperacion
	}
}

// circuit is one institution's:
//
//	closed (limit 0) ──5 failures in a row, or told to wait──► open (until pausedUntil)
//	   ▲                                                         │ probe (limit 1)   ▲
//	   │                                                         ▼                   │
//	   └──limit reaches fullRecovery──── recovering ──the probe fails, or 5 in a row─┘
//	                                      success doubles the limit, failure halves it
type circuit struct {
	failures    int // in a row
	inFlight    int
	limit       int // sends at once while recovering; 0: any number
	openings    int // in a row, for the backoff
	pausedUntil time.Time
	openedAt    time.Time // the first of the openings
}

// Acquire implements [Circuito].
func (m *MemoryCircuito) Acquire(empresa tenant.EmpresaID) (Permiso, time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, known := m.circuits[empresa]
	if !known {
		c = &circuit{}
		m.circuits[empresa] = c
	}
	wait := c.acquire(time.Now())
	if wait > 0 {
		return nil, wait
	}
	return &permit{circuits: m, circuit: c, empresa: empresa}, 0
}

func (c *circuit) acquire(now time.Time) time.Duration {
	if c.limit > 0 {
		if now.Before(c.pausedUntil) {
			return c.turnedAway(now)
		}
		if c.inFlight >= c.limit {
			return probing/2 + rand.N(probing) //nolint:gosec // spreading load needs no secrecy
		}
	}
	c.inFlight++
	return 0
}

// turnedAway returns the wait of a step that arrives during a pause. The wait is spread over a time
// that grows with the pause, so that the backlog returns neither all at the probe nor all at its
// success. The step whose failure began the pause makes the probe.
func (c *circuit) turnedAway(now time.Time) time.Duration {
	spread := min(max(now.Sub(c.openedAt), probing), longestSpread)
	return c.pausedUntil.Sub(now) + rand.N(spread) //nolint:gosec // spreading load needs no secrecy
}

// succeeded tells whether it was the probe that found the platform back.
func (c *circuit) succeeded() (recovered bool) {
	recovered = c.limit == 1
	c.inFlight--
	c.failures = 0
	c.openings = 0
	c.limit *= 2
	if c.limit >= fullRecovery {
		c.limit = 0
	}
	return recovered
}

// failed gives how long to wait before the next try; 0: as long as the sender likes.
func (c *circuit) failed(now time.Time, retryAfter time.Duration) time.Duration {
	c.inFlight--
	c.failures++
	switch {
	case now.Before(c.pausedUntil):
		// Sent before it opened; it tells nothing new, unless to wait longer.
		c.pauseFor(now, retryAfter)
		return c.turnedAway(now)
	case c.limit == 1 || c.failures >= openAfter || retryAfter > 0:
		if c.openings == 0 {
			c.openedAt = now
		}
		c.openings++
		c.limit = 1
		c.pauseFor(now, max(retryAfter, doubled(firstProbe, longestProbe, c.openings)))
		return c.pausedUntil.Sub(now)
	case c.limit > 2:
		// Never down to 1, which is the probe's.
		c.limit /= 2
	}
	return 0
}

func (c *circuit) pauseFor(now time.Time, pause time.Duration) {
	until := now.Add(min(pause, LongestRetry))
	if until.After(c.pausedUntil) {
		c.pausedUntil = until
	}
}

// permit is a Permiso of a MemoryCircuito.
type permit struct {
	circuits *MemoryCircuito
	circuit  *circuit
	empresa  tenant.EmpresaID
}

func (p *permit) Succeeded() {
	p.circuits.mu.Lock()
	recovered := p.circuit.succeeded()
	p.circuits.mu.Unlock()
	if recovered && p.circuits.Recovered != nil {
		p.circuits.Recovered(p.empresa)
	}
}

func (p *permit) Failed(retryAfter time.Duration) time.Duration {
	p.circuits.mu.Lock()
	defer p.circuits.mu.Unlock()
	return p.circuit.failed(time.Now(), retryAfter)
}

func (p *permit) Unclear() time.Duration {
	p.circuits.mu.Lock()
	defer p.circuits.mu.Unlock()
	p.circuit.inFlight--
	if p.circuit.limit == 1 {
		return longestProbe
	}
	return 0
}

func (p *permit) Unused() {
	p.circuits.mu.Lock()
	defer p.circuits.mu.Unlock()
	p.circuit.inFlight--
}
