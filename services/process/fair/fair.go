// Package fair divides what is scarce (database connections, memory, cores) among those who
// ask for it, so that nobody can use up what the others need. A [Gate] admits callers while
// its capacity lasts; the others wait, and are let in owner by owner in turn: a hundred
// requests of one wait behind a single request of another. What one owner may have in hand
// is bounded, and so is how many wait in all; who is over a bound is refused at once.
//
// It knows nothing of what it divides nor who the owners are. Everything is per process.
package fair

import (
	"context"
	"errors"
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
	// Queue is how many callers may wait. Zero: no bound.
	Queue int
}

// Gate admits callers. Safe for concurrent use.
type Gate struct {
	cfg Config

	mu      sync.Mutex
	out     int64 // units admitted
	waiting int   // callers
	owners  map[string]*owner
	// turns are the owners with somebody waiting, the next one to be let in first.
	turns []*owner
}

// owner is somebody with units out, or waiting for some.
type owner struct {
	name  string
	inUse int64 // units out or waited for
	queue []*waiter
}

type waiter struct {
	units    int64
	admitted chan struct{}
}

// New makes a Gate through which nobody has gone yet.
func New(cfg Config) *Gate {
	cfg.Capacity = max(1, cfg.Capacity)
	return &Gate{cfg: cfg, owners: map[string]*owner{}}
}

// Enter takes units on behalf of an owner, waiting for its turn if it must. It returns
// [ErrShare] or [ErrFull] at once, or the error of ctx if that ends first; then nothing is
// taken. Otherwise the caller must call leave, once or more often, when it is done.
func (g *Gate) Enter(ctx context.Context, ownerName string, units int64) (leave func(), err error) {
	permit, err := g.Take(ctx, ownerName, units)
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
	g.mu.Lock()
	o := g.ownerOf(ownerName)
	switch {
	case g.cfg.Share > 0 && o.inUse+units > g.cfg.Share:
		g.forgetIdle(o)
		g.mu.Unlock()
		return nil, ErrShare
	case g.waiting == 0 && g.fits(units):
		o.inUse += units
		g.out += units
		g.mu.Unlock()
		return &Permit{gate: g, owner: o, units: units}, nil
	case g.cfg.Queue > 0 && g.waiting >= g.cfg.Queue:
		g.forgetIdle(o)
		g.mu.Unlock()
		return nil, ErrFull
	}
	w := g.enqueue(o, units)
	g.mu.Unlock()

	select {
	case <-w.admitted:
		return &Permit{gate: g, owner: o, units: units}, nil
	case <-ctx.Done():
		g.giveUp(o, w)
		return nil, ctx.Err()
	}
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

func (g *Gate) enqueue(o *owner, units int64) *waiter {
	w := &waiter{units: units, admitted: make(chan struct{})}
	o.inUse += units
	o.queue = append(o.queue, w)
	if len(o.queue) == 1 {
		g.turns = append(g.turns, o)
	}
	g.waiting++
	return w
}

// admit lets in who is next while there is room. Nobody is passed over for being large:
// small ones that keep coming would else hold a large one out for ever.
func (g *Gate) admit() {
	for len(g.turns) > 0 && g.fits(g.turns[0].queue[0].units) {
		o := g.turns[0]
		w := o.queue[0]
		o.queue = o.queue[1:]
		g.turns = g.turns[1:]
		if len(o.queue) > 0 {
			g.turns = append(g.turns, o)
		}
		g.waiting--
		g.out += w.units
		close(w.admitted)
	}
}

// giveUp takes a waiter out whose caller waits no more; one admitted meanwhile leaves.
func (g *Gate) giveUp(o *owner, w *waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-w.admitted:
		g.out -= w.units
	default:
		g.unqueue(o, w)
	}
	o.inUse -= w.units
	g.forgetIdle(o)
	g.admit()
}

func (g *Gate) unqueue(o *owner, w *waiter) {
	g.waiting--
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
	p.owner.inUse -= back
	g.forgetIdle(p.owner)
	g.admit()
}

// Leave gives everything back. It may be called more often than once.
func (p *Permit) Leave() {
	p.Keep(0)
}
