package rpc

import (
	"context"

	"github.com/enlace-iis/enlace/services/internal/errs"
)

// recoverPanics keeps a programming mistake in one call from ending all others. The client
// sees an internal error; the stack is in the log under the same request id.
func (s *Server) recoverPanics(ctx context.Context, rpc string, next func(context.Context) error) (err error) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		s.metrics.panics.WithLabelValues(rpc).Inc()
		s.log.ErrorContext(ctx, "panic in handler",
			"rpc", rpc,
			"request_id", RequestID(ctx),
			"stack", errs.Recovered(value).Stack,
		)
		err = errs.ToStatus(errPanicked).Err()
	}()
	return next(ctx)
}
