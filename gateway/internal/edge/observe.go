package edge

import (
	"log/slog"
	"net/http"
	"time"

	"google.golang.org/grpc/status"
)

// statusClientClosed is logged for a client that went away before its answer; it is never
// sent. The number is the one that proxies use for it.
const statusClientClosed = 499

// observe writes the one log line of each request and counts it. What it logs is closed:
// the pattern of the route and not the path, no query, no header, nothing of a body.
func (e *Edge) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := &recorder{ResponseWriter: w}
		started := time.Now()
		aborted := true
		defer func() {
			taken := time.Since(started)
			x := of(r)
			x.answered = recorder.outcome(aborted)
			e.metrics.observe(methodLabel(r.Method), x.pattern(), x.answered, taken)
			e.log.LogAttrs(r.Context(), logLevel(x.answered), "request", x.attributes(r, recorder, taken)...)
		}()
		next.ServeHTTP(recorder, r)
		aborted = false
	})
}

func (x *exchange) attributes(r *http.Request, recorder *recorder, taken time.Duration) []slog.Attr {
	attributes := make([]slog.Attr, 0, 12)
	attributes = append(attributes,
		slog.String("request_id", x.requestID),
		slog.String("method", methodLabel(r.Method)),
		slog.String("route", x.pattern()),
		slog.Int("status", x.answered),
		slog.Int64("duration_us", taken.Microseconds()),
		slog.Int64("bytes", recorder.bytes),
	)
	if x.codigo != "" {
		attributes = append(attributes, slog.String("codigo", x.codigo))
	}
	// Who hammers at the door must be found and shut out; who passes need not be noted here.
	switch x.answered {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		attributes = append(attributes, slog.String("client", x.client.String()))
	}
	if len(x.call.Ignored) > 0 {
		attributes = append(attributes, slog.Any("ignored_fields", x.call.Ignored))
	}
	if x.failure != nil {
		attributes = append(attributes, slog.String("code", status.Code(x.failure).String()))
	}
	if x.failure != nil && x.answered == http.StatusInternalServerError {
		attributes = append(attributes, slog.Any("error", x.failure))
	}
	if x.call.Aborted != nil {
		attributes = append(attributes, slog.String("aborted", status.Code(x.call.Aborted).String()))
	}
	return attributes
}

// pattern is the route's pattern, or "" for an unknown path.
func (x *exchange) pattern() string {
	if x.found == nil {
		return ""
	}
	return x.found.Pattern
}

func logLevel(answered int) slog.Level {
	switch answered {
	case http.StatusInternalServerError:
		return slog.LevelError
	case http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}

// methodLabel bounds what an invented verb can put into logs and metrics.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return method
	default:
		return "OTHER"
	}
}

// A recorder notes what is sent.
type recorder struct {
	http.ResponseWriter

	status int
	bytes  int64
}

func (r *recorder) WriteHeader(status int) {
	// An informational answer (1xx) is not the answer.
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter {
	return r.ResponseWriter
}

// outcome is the status for the log.
func (r *recorder) outcome(aborted bool) int {
	switch {
	case r.status != 0:
		return r.status
	case aborted:
		return statusClientClosed
	default:
		return http.StatusOK
	}
}
