package edge

import (
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
)

// recoverPanics answers 500 where a handler panicked. If an answer had begun, or if the
// panic is the wish to cut it, the connection is cut: a client must not take half an answer
// for a whole one.
func (e *Edge) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		guarded := &recorder{ResponseWriter: w}
		defer func() {
			panicked := recover()
			if panicked == nil {
				return
			}
			if err, ok := panicked.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(http.ErrAbortHandler)
			}
			// The value may hold anything, a record's content included; the stack does not.
			e.log.ErrorContext(r.Context(), "handler panicked",
				slog.String("request_id", of(r).requestID), slog.String("stack", string(debug.Stack())))
			if guarded.status != 0 {
				panic(http.ErrAbortHandler)
			}
			e.answer(w, r, httperr.Internal())
		}()
		next.ServeHTTP(guarded, r)
	})
}
