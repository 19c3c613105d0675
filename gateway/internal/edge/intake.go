package edge

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/enlace-iis/enlace/services/process/fair"
)

// Bodies are taken in so that no client, however slow or idle, keeps another one from sending.
//
// A body is with its client while it arrives, and so is a large answer until it is read.
// What is with clients is charged as it arrives, in a [fair.Pool] whose idle holders lose
// their room to senders with less of it. A whole body is at work: it takes its turn at a
// [fair.Gate], which only the services behind can keep occupied. So small bodies, which
// need no room while they arrive, never wait for a client.

// strangersBytes is the room of all senders without a verified credential: they log in, with
// a few hundred bytes, which need none.
const strangersBytes = 2 << 20

// gateWait bounds the wait for room or for a turn. A body that is still not read then would soon
// be timed out by its client.
const gateWait = 5 * time.Second

// gates divide the memory of a process among its senders. Safe for concurrent use.
type gates struct {
	wait time.Duration // gateWait, but for tests

	// batches and shares only count, what each owner has.
	batches, shares *fair.Gate
	work            *fair.Gate
	// clients is what has arrived of bodies and what is unread of answers.
	clients, strangers *fair.Pool
}

func newGates(cfg Config) *gates {
	return &gates{
		wait:      gateWait,
		batches:   fair.New(fair.Config{Capacity: math.MaxInt64, Share: int64(cfg.EmpresaMaxBatches)}),
		shares:    fair.New(fair.Config{Capacity: math.MaxInt64, Share: cfg.EmpresaMaxBatchBytes}),
		work:      fair.New(fair.Config{Capacity: cfg.MaxBodyBytes}),
		clients:   fair.NewPool(cfg.MaxBodyBytes / 2),
		strangers: fair.NewPool(strangersBytes),
	}
}

// take waits for a turn, but not for long.
func (g *gates) take(ctx context.Context, gate *fair.Gate, owner string, units int64) (*fair.Permit, error) {
	ctx, cancel := context.WithTimeout(ctx, g.wait)
	defer cancel()
	return gate.Take(ctx, owner, units)
}

// grow waits for room, but not for long.
func (g *gates) grow(ctx context.Context, hold *fair.Hold, units int64) error {
	ctx, cancel := context.WithTimeout(ctx, g.wait)
	defer cancel()
	return hold.Grow(ctx, units)
}

// errSlow ends the reading of a body that comes too slowly.
var errSlow = errors.New("the body came too slowly")

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

// transport is what a body needs of its connection, as *http.ResponseController has it.
type transport interface {
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// A body is one request's, from its first byte until the answer has been written. Its methods
// are for one goroutine.
type body struct {
	gates      *gates
	source     io.Reader
	connection transport
	end        time.Time

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

// begin takes a body that comes from source by end. The caller must call leave.
func (g *gates) begin(source io.Reader, connection transport, end time.Time) *body {
	return &body{gates: g, source: source, connection: connection, end: end}
}

// Read reads from the client, which must keep the pace. It returns [errSlow] if it does not,
// and [fair.ErrLost] if another sender needed the room.
func (b *body) Read(p []byte) (int, error) {
	if b.since.Load() == 0 || b.arrived >= paceBytes {
		now := time.Now()
		b.arrived = 0
		b.since.Store(now.UnixNano())
		deadline := now.Add(paceWindow)
		if b.end.Before(deadline) {
			deadline = b.end
		}
		// A writer without a connection, in a test, has no deadlines.
		_ = b.connection.SetReadDeadline(deadline)
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
		return n, errSlow
	}
}

// admit makes sure that the share of the owner has room for a body that may become so many
// bytes; large: it counts among the owner's batches too. Without a verified credential, a body
// gets a part of what all strangers have. An error is [fair.ErrShare] or that of ctx.
func (b *body) admit(ctx context.Context, owner string, verified, large bool, most int64) (err error) {
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
	b.hold = pool.Hold(owner, b.idle, func() { b.cut(b.connection.SetReadDeadline) })
	return nil
}

// restart begins a new window, for a client that was not being read.
func (b *body) restart() {
	b.arrived = paceBytes
	b.since.Store(time.Now().UnixNano())
}

// admitted reports whether the body was.
func (b *body) admitted() bool { return b.hold != nil }

// reserve makes room for the first size bytes of an admitted body. An error is
// [fair.ErrLost] or that of ctx.
func (b *body) reserve(ctx context.Context, size int64) error {
	if b.hold == nil {
		return nil
	}
	err := b.gates.grow(ctx, b.hold, size)
	b.restart()
	return err
}

// whole takes a turn at work for a body that has arrived and turned out to need so many
// bytes. The body and what follows from it may be in memory until leave. An error is
// [fair.ErrShare] or that of ctx.
func (b *body) whole(ctx context.Context, owner string, need int64) (err error) {
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

// leave gives everything back. It may be called more often than once.
func (b *body) leave() {
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
func (b *body) idle() bool {
	return time.Now().UnixNano()-b.since.Load() > int64(briskWindow)
}

// cut ends what waits for the client. Once the body has left, the connection may be at the
// next request.
func (b *body) cut(setDeadline func(time.Time) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.left {
		_ = setDeadline(time.Unix(1, 0))
	}
}

// buffered is what the machines between us and a client take of an answer at once.
const buffered = 64 << 10

// answer wraps the writer of the answer to a body: while a large one is written it is with
// the client, no longer at work.
func (b *body) answer(ctx context.Context, w http.ResponseWriter) http.ResponseWriter {
	return &unread{ResponseWriter: w, ctx: ctx, body: b}
}

type unread struct {
	http.ResponseWriter

	ctx  context.Context
	body *body
}

// Write writes in pieces, so that a client which reads is told from one that does not.
func (a *unread) Write(p []byte) (written int, err error) {
	if len(p) > buffered {
		a.body.answering(a.ctx, int64(len(p)))
	}
	for err == nil && written < len(p) {
		a.body.since.Store(time.Now().UnixNano())
		var n int
		n, err = a.ResponseWriter.Write(p[written:min(len(p), written+buffered)])
		written += n
	}
	return written, err
}

// Unwrap lets http.ResponseController reach the connection.
func (a *unread) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// answering puts size bytes of an answer with the client, in the place of the work. Where
// there is no room it stays at work: the request has been served.
func (b *body) answering(ctx context.Context, size int64) {
	if b.work == nil {
		return
	}
	hold := b.gates.clients.Hold(b.owner, b.idle, func() { b.cut(b.connection.SetWriteDeadline) })
	b.since.Store(time.Now().UnixNano())
	err := b.gates.grow(ctx, hold, size)
	if err == nil {
		b.hold = hold
		b.work.Leave()
		b.work = nil
	}
}
