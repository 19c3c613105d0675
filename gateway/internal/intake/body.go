package intake

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/enlace-iis/enlace/services/process/fair"
)

// ErrSlow ends the reading of a body that comes too slowly.
var ErrSlow = errors.New("the body came too slowly")

const (
	// A client sends at least paceBytes in each paceWindow, or the rest of its body: 16 KiB/s.
	// A shorter window would cut clients that lose a packet.
	paceBytes  = 64 << 10
	paceWindow = 4 * time.Second
	// A client that takes longer than briskWindow for paceBytes, 256 KiB/s, is idle: it goes
	// on while nobody else needs its room.
	briskWindow = 250 * time.Millisecond
)

// never is after every briskWindow.
const never = math.MaxInt64

// Transport is what a Body needs of its connection, as *http.ResponseController has it.
type Transport interface {
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// A Body is one request's, from its first byte until the answer has been written. Its methods
// are for one goroutine.
type Body struct {
	gates     *Gates
	source    io.Reader
	transport Transport
	end       time.Time

	owner    string
	verified bool
	batch    *fair.Permit
	share    *fair.Permit
	work     *fair.Permit
	hold     *fair.Hold

	arrived int64        // bytes since the present window began
	since   atomic.Int64 // when that was, Unix nanoseconds; 0 before the first

	mu   sync.Mutex
	left bool
}

// Begin takes a body that comes from source by end. The caller must call Leave.
func (g *Gates) Begin(source io.Reader, transport Transport, end time.Time) *Body {
	return &Body{gates: g, source: source, transport: transport, end: end}
}

// Read reads from the client, which must keep the pace. It returns [ErrSlow] if it does not,
// and [fair.ErrLost] if another sender needed the room.
func (b *Body) Read(p []byte) (int, error) {
	if b.since.Load() == 0 || b.arrived >= paceBytes {
		now := time.Now()
		b.arrived = 0
		b.since.Store(now.UnixNano())
		deadline := now.Add(paceWindow)
		if b.end.Before(deadline) {
			deadline = b.end
		}
		// A writer without a connection, in a test, has no deadlines.
		_ = b.transport.SetReadDeadline(deadline)
	}
	if b.hold != nil && b.hold.Lost() {
		return 0, fair.ErrLost
	}
	n, err := b.source.Read(p)
	b.arrived += int64(n)
	switch {
	case !errors.Is(err, os.ErrDeadlineExceeded):
		return n, err
	case b.hold != nil && b.hold.Lost():
		return n, fair.ErrLost
	default:
		return n, ErrSlow
	}
}

// Admit makes sure that the share of the owner has room for a body that may become so many
// bytes; large: it counts among the owner's batches too. Without a verified credential, a body
// gets a part of what all strangers have. An error is [fair.ErrShare] or that of ctx.
func (b *Body) Admit(ctx context.Context, owner string, verified, large bool, most int64) (err error) {
	b.owner, b.verified = owner, verified
	pool := b.gates.strangers
	if verified {
		pool = b.gates.clients
		if large {
			b.batch, err = b.gates.take(ctx, b.gates.batches, owner, 1)
		}
		if err == nil {
			b.share, err = b.gates.take(ctx, b.gates.shares, owner, most)
		}
	}
	if err != nil {
		return err
	}
	b.restart()
	b.hold = pool.Hold(owner, b.idle, func() { b.cut(b.transport.SetReadDeadline) })
	return nil
}

// restart begins a new window, for a client that was not being read.
func (b *Body) restart() {
	b.arrived = paceBytes
	b.since.Store(time.Now().UnixNano())
}

// Admitted reports whether the body was.
func (b *Body) Admitted() bool { return b.hold != nil }

// Reserve makes room for the first size bytes of an admitted body. An error is
// [fair.ErrLost] or that of ctx.
func (b *Body) Reserve(ctx context.Context, size int64) error {
	if b.hold == nil {
		return nil
	}
	err := b.gates.grow(ctx, b.hold, size)
	b.restart()
	return err
}

// Whole takes a turn at work for a body that has arrived and turned out to need so many
// bytes. The body and what follows from it may be in memory until Leave. An error is
// [fair.ErrShare] or that of ctx.
func (b *Body) Whole(ctx context.Context, owner string, need int64) (err error) {
	b.since.Store(never)
	switch {
	case b.hold != nil && !b.verified:
		return nil
	case b.share != nil:
		b.share.Keep(need)
	default:
		b.owner, b.verified = owner, true
		b.share, err = b.gates.take(ctx, b.gates.shares, owner, need)
	}
	if err == nil {
		b.work, err = b.gates.take(ctx, b.gates.work, b.owner, need)
	}
	if err == nil && b.hold != nil {
		b.hold.Leave()
	}
	return err
}

// Leave gives everything back. It may be called more often than once.
func (b *Body) Leave() {
	b.mu.Lock()
	b.left = true
	b.mu.Unlock()
	for _, permit := range []*fair.Permit{b.work, b.share, b.batch} {
		if permit != nil {
			permit.Leave()
		}
	}
	if b.hold != nil {
		b.hold.Leave()
	}
}

// idle reports whether the client has stopped or is slow.
func (b *Body) idle() bool {
	return time.Now().UnixNano()-b.since.Load() > int64(briskWindow)
}

// cut ends what waits for the client. Once the body has left, the connection may be at the
// next request.
func (b *Body) cut(setDeadline func(time.Time) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.left {
		_ = setDeadline(time.Unix(1, 0))
	}
}
