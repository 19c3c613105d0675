package fair

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrLost ends a [Hold] whose room another owner needed.
var ErrLost = errors.New("the room went to another owner")

// poolPoll is the time between two looks at who has become idle.
const poolPoll = 50 * time.Millisecond

// A Pool is room that holders give back at their clients' pace, such as memory for what is
// still being sent. A [Gate] cannot divide it: a client that stops would keep its part. In a
// Pool an idle hold is on sufferance: when the room is used up, an owner takes the hold of
// another one that has more. So idle holders never keep out an owner with less in hand.
// Safe for concurrent use.
type Pool struct {
	capacity int64

	mu     sync.Mutex
	used   int64
	owners map[string]*poolOwner
	freed  chan struct{} // closed and replaced when units come back
}

type poolOwner struct {
	inUse int64
	holds map[*Hold]struct{}
}

// A Hold is what one holder has of a [Pool]. Its methods are for one goroutine at a time.
type Hold struct {
	pool  *Pool
	name  string
	units int64 // of the holder; guarded by pool.mu, like lost
	lost  bool
	idle  func() bool
	evict func()
}

// NewPool makes a Pool of so many units.
func NewPool(capacity int64) *Pool {
	return &Pool{capacity: max(1, capacity), owners: map[string]*poolOwner{}, freed: make(chan struct{})}
}

// Hold begins a hold of no units. idle reports whether its client has stopped or is slow; it
// must not call the Pool. evict is called once, in a goroutine of its own, when the hold is
// lost. The caller must call Leave.
func (p *Pool) Hold(owner string, idle func() bool, evict func()) *Hold {
	return &Hold{pool: p, name: owner, idle: idle, evict: evict}
}

// Grow makes the hold so many units large; it never shrinks it. It waits while there is no
// room, and returns [ErrLost] if the hold was lost, or the error of ctx; then the hold is as
// large as before. What alone is larger than the whole Pool is let in when nobody else is.
func (h *Hold) Grow(ctx context.Context, units int64) error {
	for {
		freed, err := h.grow(units)
		if freed == nil || err != nil {
			return err
		}
		select {
		case <-freed:
		case <-time.After(poolPoll):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// grow gives a channel to wait on if there is no room.
func (h *Hold) grow(units int64) (freed <-chan struct{}, err error) {
	p := h.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if h.lost {
		return nil, ErrLost
	}
	more := units - h.units
	if more <= 0 {
		return nil, nil
	}
	for p.used > h.units && p.used+more > p.capacity {
		victim := p.victim(h, more)
		if victim == nil {
			return p.freed, nil
		}
		victim.lost = true
		p.release(victim)
		go victim.evict()
	}
	o, known := p.owners[h.name]
	if !known {
		o = &poolOwner{holds: map[*Hold]struct{}{}}
		p.owners[h.name] = o
	}
	o.holds[h] = struct{}{}
	o.inUse += more
	p.used += more
	h.units = units
	return nil, nil
}

// victim is the largest idle hold of the owner with the most, if that is more than the asker
// would have. Without that condition two owners would take from each other in turn.
func (p *Pool) victim(asker *Hold, more int64) *Hold {
	least := more
	if o, known := p.owners[asker.name]; known {
		least += o.inUse
	}
	var most int64
	var found *Hold
	for name, o := range p.owners {
		if name == asker.name || o.inUse <= max(least, most) {
			continue
		}
		if hold := o.largestIdle(); hold != nil {
			most, found = o.inUse, hold
		}
	}
	return found
}

func (o *poolOwner) largestIdle() (found *Hold) {
	for hold := range o.holds {
		if (found == nil || hold.units > found.units) && hold.idle() {
			found = hold
		}
	}
	return found
}

// release takes the units of a hold back.
func (p *Pool) release(h *Hold) {
	if h.units == 0 {
		return
	}
	o := p.owners[h.name]
	o.inUse -= h.units
	p.used -= h.units
	h.units = 0
	delete(o.holds, h)
	if len(o.holds) == 0 {
		delete(p.owners, h.name)
	}
	close(p.freed)
	p.freed = make(chan struct{})
}

// Lost reports whether the room went to another owner.
func (h *Hold) Lost() bool {
	h.pool.mu.Lock()
	defer h.pool.mu.Unlock()
	return h.lost
}

// Leave gives everything back. It may be called more often than once.
func (h *Hold) Leave() {
	h.pool.mu.Lock()
	defer h.pool.mu.Unlock()
	h.pool.release(h)
}
