package intake

import (
	"context"
	"net/http"
	"time"
)

// buffered is what the machines between us and a client take of an answer at once.
const buffered = 64 << 10

// Answer wraps the writer of the answer to a body: while a large one is written it is with
// the client, no longer at work.
func (b *Body) Answer(ctx context.Context, w http.ResponseWriter) http.ResponseWriter {
	return &answer{ResponseWriter: w, ctx: ctx, body: b}
}

type answer struct {
	http.ResponseWriter

	ctx  context.Context
	body *Body
}

// Write writes in pieces, so that a client which reads is told from one that does not.
func (a *answer) Write(p []byte) (written int, err error) {
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
func (a *answer) Unwrap() http.ResponseWriter {
	return a.ResponseWriter
}

// answering puts size bytes of an answer with the client, in the place of the work. Where
// there is no room it stays at work: the request has been served.
func (b *Body) answering(ctx context.Context, size int64) {
	if b.work == nil {
		return
	}
	hold := b.gates.clients.Hold(b.owner, b.idle, func() { b.cut(b.transport.SetWriteDeadline) })
	b.since.Store(time.Now().UnixNano())
	err := b.gates.grow(ctx, hold, size)
	if err == nil {
		b.hold = hold
		b.work.Leave()
		b.work = nil
	}
}
