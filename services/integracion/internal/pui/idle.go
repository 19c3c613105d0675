package pui

import (
	"context"
	"errors"
	"io"
	"time"
)

// idleLimit ends its context when nothing has come for a while. Time in which nobody waits
// for the platform does not count.
type idleLimit struct {
	ctx   context.Context //nolint:containedctx // it is the limit's own
	limit time.Duration
	timer *time.Timer
	stop  func()
}

// withIdleLimit begins to wait at once, for the answer. The caller stops it.
func withIdleLimit(ctx context.Context, limit time.Duration) (context.Context, *idleLimit) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { cancel(context.DeadlineExceeded) })
	return ctx, &idleLimit{ctx: ctx, limit: limit, timer: timer, stop: func() {
		timer.Stop()
		cancel(nil)
	}}
}

// passed tells that the context ended for its time, and not because somebody ended it.
func (l *idleLimit) passed() bool {
	return errors.Is(context.Cause(l.ctx), context.DeadlineExceeded)
}

// reader waits for each read anew.
func (l *idleLimit) reader(from io.Reader) io.Reader {
	l.timer.Stop()
	return idleReader{from: from, idle: l}
}

type idleReader struct {
	from io.Reader
	idle *idleLimit
}

// Read implements [io.Reader].
func (r idleReader) Read(p []byte) (int, error) {
	r.idle.timer.Reset(r.idle.limit)
	defer r.idle.timer.Stop()
	return r.from.Read(p)
}
