// Package fair divides what is scarce (database connections, memory, cores) among those who
// ask for it, so that nobody can use up what the others need. A [Gate] admits callers while
// its capacity lasts; the others wait, and are let in owner by owner in turn: a hundred
// requests of one wait behind a single request of another. What one owner may have in hand
// is bounded, and so is how many wait in all; who is over a bound is refused at once. Where
// as many wait as may, a newcomer takes the place of one who comes from where the most wait.
//
// It knows nothing of what it divides nor who the owners are. Everything is per process.
package fair

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Refusals of [Gate.Enter].
var (
	// ErrShare tells an owner who has the whole share in hand already.
	ErrShare = errors.New("the owner's share is used up")
	// ErrFull tells that as many wait already as may.
	ErrFull = errors.New("too many wait already")
)

// Config bounds a Gate. Units are the caller's: requests, bytes.
type Config struct {
	// Capacity is how many units are out at once; at least 1. What asks for more than that
	// is admitted alone.
	Capacity int64
	// Share is how many units one owner may have out and be waiting for together. Zero: no
	// bound.
	Share int64
	// Most is how many units one owner may have out; what it asks for beyond waits, and holds
	// up nobody else. Zero: no bound. What asks for more than that is admitted as the owner's
	// only one.
	Most int64
	// Queue is how many callers may wait. Zero: no bound.
	Queue int
}

// Gate admits callers. Safe for concurrent use.
type Gate struct {
	cfg Config

	mu      sync.Mutex
	out     int64          // units admitted
	waiting int            // callers
	origins map[string]int // of those who wait
	owners  map[string]*owner
	// turns are the owners with somebody waiting, the next one to be let in first.
	turns []*owner
}

// owner is somebody with units out, or waiting for some.
type owner struct {
	name  string
	inUse int64 // units out or waited for
	out   int64 // units out
	queue []*waiter
}

type waiter struct {
	units  int64
	origin string
	// done is closed when the waiter is admitted, or dropped for another.
	done    chan struct{}
	dropped bool
}

// New makes a Gate through which nobody has gone yet.
func New(cfg Config) *Gate {
	cfg.Capacity = max(1, cfg.Capacity)
	return &Gate{cfg: cfg, owners: map[string]*owner{}, origins: map[string]int{}}
}

// Enter takes units on behalf of an owner, waiting for its turn if it must. It returns
// [ErrShare] or [ErrFull] at once, or the error of ctx if that ends first; then nothing is
// taken. Otherwise the caller must call leave, once or more often, when it is done.
func (g *Gate) Enter(ctx context.Context, ownerName string, units int64) (leave func(), err error) {
	return g.EnterFrom(ctx, ownerName, ownerName, units)
}

// EnterFrom is [Gate.Enter] where the owners are not known to be different ones: anybody can
// make them up. origin is where they come from, such as an address. Where as many wait as may,
// the last of the origin with the most is refused, so that no origin fills the queue.
func (g *Gate) EnterFrom(ctx context.Context, origin, ownerName string, units int64) (leave func(), err error) {
	permit, err := g.take(ctx, origin, ownerName, units)
	if err != nil {
		return nil, err
	}
	return permit.Leave, nil
}

// A Permit is what a caller has taken of a [Gate].
type Permit struct {
	gate  *Gate
	owner *owner
	units int64
}

// Take is [Gate.Enter] for a caller that may learn later that it needs fewer units.
func (g *Gate) Take(ctx context.Context, ownerName string, units int64) (*Permit, error) {
	return g.take(ctx, ownerName, ownerName, units)
}

func (g *Gate) take(ctx context.Context, origin, ownerName string, units int64) (*Permit, error) {
	g.mu.Lock()
	o := g.ownerOf(ownerName)
	switch {
	case g.cfg.Share > 0 && o.inUse+units > g.cfg.Share:
		g.forgetIdle(o)
		g.mu.Unlock()
		return nil, ErrShare
	case g.next() < 0 && g.fits(units) && g.mayHave(o, units):
		o.inUse += units
		o.out += units
		g.out += units
		g.mu.Unlock()
		return &Permit{gate: g, owner: o, units: units}, nil
	case g.cfg.Queue > 0 && g.waiting >= g.cfg.Queue && !g.dropFor(origin):
		g.forgetIdle(o)
		g.mu.Unlock()
		return nil, ErrFull
	}
	// Dropping the last waiter of the same owner has forgotten the owner.
	o = g.ownerOf(ownerName)
	w := g.enqueue(o, origin, units)
	g.mu.Unlock()

	select {
	case <-w.done:
		if w.dropped {
			return nil, ErrFull
		}
		return &Permit{gate: g, owner: o, units: units}, nil
	case <-ctx.Done():
		g.giveUp(o, w)
		return nil, ctx.Err()
	}
}

// mayHave is the bound of one owner.
func (g *Gate) mayHave(o *owner, units int64) bool {
	return g.cfg.Most <= 0 || o.out == 0 || o.out+units <= g.cfg.Most
}

// next is whose turn it is: the first owner who may have what it waits for; -1 for nobody.
func (g *Gate) next() int {
	return slices.IndexFunc(g.turns, func(o *owner) bool { return g.mayHave(o, o.queue[0].units) })
}

// fits admits what is larger than the whole capacity once nobody else is in.
func (g *Gate) fits(units int64) bool {
	return g.out == 0 || g.out+units <= g.cfg.Capacity
}

func (g *Gate) ownerOf(name string) *owner {
	o, known := g.owners[name]
	if !known {
		o = &owner{name: name}
		g.owners[name] = o
	}
	return o
}

// forgetIdle keeps the memory of a Gate to those who are in it.
func (g *Gate) forgetIdle(o *owner) {
	if o.inUse == 0 {
		delete(g.owners, o.name)
	}
}

func (g *Gate) enqueue(o *owner, origin string, units int64) *waiter {
	w := &waiter{units: units, origin: origin, done: make(chan struct{})}
	o.inUse += units
	o.queue = append(o.queue, w)
	if len(o.queue) == 1 {
		g.turns = append(g.turns, o)
	}
	g.waiting++
	g.origins[origin]++
	return w
}

// dropFor refuses the last waiter of the origin with the most, if that is more than the
// newcomer's would have.
func (g *Gate) dropFor(newcomer string) bool {
	crowd := newcomer
	for origin, waiting := range g.origins {
		if waiting > max(g.origins[crowd], g.origins[newcomer]+1) {
			crowd = origin
		}
	}
	if crowd == newcomer {
		return false
	}
	for _, o := range slices.Backward(g.turns) {
		for _, w := range slices.Backward(o.queue) {
			if w.origin == crowd {
				w.dropped = true
				g.unqueue(o, w)
				o.inUse -= w.units
				g.forgetIdle(o)
				close(w.done)
				return true
			}
		}
	}
	return false
}

func (g *Gate) leaveQueue(w *waiter) {
	g.waiting--
	g.origins[w.origin]--
	if g.origins[w.origin] == 0 {
		delete(g.origins, w.origin)
	}
}

// admit lets in who is next while there is room. Nobody is passed over for being large:
// small ones that keep coming would else hold a large one out for ever.
func (g *Gate) admit() {
	for {
		turn := g.next()
		if turn < 0 || !g.fits(g.turns[turn].queue[0].units) {
			return
		}
		o := g.turns[turn]
		w := o.queue[0]
		o.queue = o.queue[1:]
		g.turns = slices.Delete(g.turns, turn, turn+1)
		if len(o.queue) > 0 {
			g.turns = append(g.turns, o)
		}
		g.leaveQueue(w)
		o.out += w.units
		g.out += w.units
		close(w.done)
	}
}

// giveUp takes a waiter out whose caller waits no more; one admitted meanwhile leaves.
func (g *Gate) giveUp(o *owner, w *waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-w.done:
		if w.dropped {
			return
		}
		o.out -= w.units
		g.out -= w.units
	default:
		g.unqueue(o, w)
	}
	o.inUse -= w.units
	g.forgetIdle(o)
	g.admit()
}

func (g *Gate) unqueue(o *owner, w *waiter) {
	g.leaveQueue(w)
	for i, other := range o.queue {
		if other == w {
			o.queue = append(o.queue[:i:i], o.queue[i+1:]...)
			break
		}
	}
	if len(o.queue) > 0 {
		return
	}
	for i, other := range g.turns {
		if other == o {
			g.turns = append(g.turns[:i:i], g.turns[i+1:]...)
			break
		}
	}
}

// Keep gives back all but so many units; a larger number changes nothing.
func (p *Permit) Keep(units int64) {
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	back := p.units - units
	if back <= 0 {
		return
	}
	p.units = units
	g.out -= back
	p.owner.out -= back
	p.owner.inUse -= back
	g.forgetIdle(p.owner)
	g.admit()
}

// Leave gives everything back. It may be called more often than once.
func (p *Permit) Leave() {
	p.Keep(0)
}
