package edge

import (
	"context"
	"net/http"
	"time"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
)

// listTimeout bounds a list as a whole.
const listTimeout = 15 * time.Minute

// limitTime gives the call its deadline, which gRPC tells the service. The time that a
// client takes to send its body is not counted; it has a limit of its own.
func (e *Edge) limitTime(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), e.timeoutOf(of(r).route))
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func (e *Edge) timeoutOf(route *routes.Route) time.Duration {
	switch {
	case route.List:
		return listTimeout
	case route.Body == routes.Batch:
		return e.cfg.TimeoutBatch
	default:
		return e.cfg.Timeout
	}
}
