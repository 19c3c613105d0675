package edge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/services/process/tracing"
)

// A record is what the log line, the metric and the span of a request say of what happened inside.
// observe makes it and reads it once the answer is complete; the others only write their field.
type record struct {
	match   *match       // lookUp; nil for an unknown path
	call    *routes.Call // lookUp; what the streams and the decoder learn
	codigo  string       // answer; of the refusal
	failure error        // onError; behind a refusal for which we are to blame
}

type recordKey struct{}

// recordOf gives the record of a request, to be written to.
func recordOf(ctx context.Context) *record { return ctx.Value(recordKey{}).(*record) }

// statusClientClosed is logged for a client that went away before its answer; it is never
// sent. The number is the one that proxies use for it.
const statusClientClosed = 499

// observe writes the one log line of each request, counts it and, with a tracer, records its span.
// What it says is closed: the pattern of the route and not the path, no query, no header, nothing of
// a body.
func (e *Edge) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen, method := &record{}, methodLabel(r.Method)
		ctx := context.WithValue(r.Context(), recordKey{}, seen)
		var span trace.Span
		if e.tracer != nil {
			// A trace begins here: a client's own traceparent is linked to and not followed, or anybody
			// outside could decide what we record, and put his requests into the traces of others.
			options := append(tracing.Linked(ctx, r.Header.Get("Traceparent")), trace.WithSpanKind(trace.SpanKindServer))
			ctx, span = e.tracer.Start(ctx, method, options...)
		}
		out, started, aborted := &recorder{ResponseWriter: w}, time.Now(), true
		defer func() {
			taken, answered := time.Since(started), cmp.Or(out.status, http.StatusOK)
			if aborted && out.status == 0 {
				answered = statusClientClosed
			}
			e.metrics.requests.WithLabelValues(method, seen.pattern(), strconv.Itoa(answered)).Observe(taken.Seconds())
			e.log.LogAttrs(ctx, logLevel(answered), "request", seen.attributes(originOf(ctx), method, answered, out.bytes, taken)...)
			if span != nil {
				seen.describe(span, originOf(ctx).requestID, method, answered)
				span.End()
			}
		}()
		next.ServeHTTP(out, r.WithContext(ctx))
		out.begin()
		aborted = false
	})
}

func (s *record) attributes(from origin, method string, answered int, bytes int64, taken time.Duration) []slog.Attr {
	attributes := append(make([]slog.Attr, 0, 12),
		slog.String("request_id", from.requestID),
		slog.String("method", method),
		slog.String("route", s.pattern()),
		slog.Int("status", answered),
		slog.Int64("duration_us", taken.Microseconds()),
		slog.Int64("bytes", bytes),
	)
	if s.codigo != "" {
		attributes = append(attributes, slog.String("codigo", s.codigo))
	}
	// Who hammers at the door must be found and shut out; who passes need not be noted here.
	switch answered {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		attributes = append(attributes, slog.String("client", from.client.String()))
	}
	if s.call != nil && len(s.call.Ignored) > 0 {
		attributes = append(attributes, slog.Any("ignored_fields", s.call.Ignored))
	}
	if s.failure != nil {
		attributes = append(attributes, slog.String("code", status.Code(s.failure).String()))
	}
	if s.failure != nil && answered == http.StatusInternalServerError {
		attributes = append(attributes, slog.Any("error", s.failure))
	}
	if s.call != nil && s.call.Aborted != nil {
		attributes = append(attributes, slog.String("aborted", status.Code(s.call.Aborted).String()))
	}
	return attributes
}

// describe says of a request what its log line says, less the client.
func (s *record) describe(span trace.Span, requestID, method string, answered int) {
	span.SetAttributes(
		tracing.RequestID.String(requestID),
		semconv.HTTPRequestMethodKey.String(method),
		semconv.HTTPResponseStatusCode(answered),
	)
	if s.match != nil {
		span.SetName(method + " " + s.pattern())
		span.SetAttributes(semconv.HTTPRoute(s.pattern()))
	}
	if s.codigo != "" {
		span.SetAttributes(tracing.Codigo.String(s.codigo))
	}
	if answered >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
}

// pattern is the route's, or "" for an unknown path.
func (s *record) pattern() string {
	if s.match == nil {
		return ""
	}
	return s.match.route.Pattern
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

// metrics count requests by route, never by client.
type metrics struct {
	requests  *prometheus.HistogramVec
	untrusted prometheus.Counter
}

// newMetrics registers the metrics, with the success of every RPC's route at zero: what has
// never been seen cannot be alerted on.
func newMetrics(registerer prometheus.Registerer, all []*routes.Route) (*metrics, error) {
	m := &metrics{requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "enlace_http_request_duration_seconds",
		Help:    "Time to answer an HTTP request, by method, pattern of the route (empty if there is none) and status; 499 is a client that went away.",
		Buckets: []float64{.002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60},
	}, []string{"method", "route", "status"}), untrusted: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "enlace_http_forwarded_untrusted_total",
		Help: "Requests with an X-Forwarded-For from an address that is not in TRUSTED_PROXIES, which was not believed.",
	})}
	err := errors.Join(registerer.Register(m.requests), registerer.Register(m.untrusted))
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	for _, route := range all {
		if route.RPC != "" {
			m.requests.WithLabelValues(route.Method, route.Pattern, strconv.Itoa(route.Exitos[0]))
		}
	}
	return m, nil
}

// A recorder notes what is sent. It holds the status back until the first byte: the last one before
// it counts, since an answer that cannot be written becomes an error.
type recorder struct {
	http.ResponseWriter

	status int
	bytes  int64
	begun  bool
	cut    bool // drops what is still written
}

func (r *recorder) WriteHeader(status int) {
	switch {
	case status < http.StatusOK:
		r.ResponseWriter.WriteHeader(status)
	case !r.begun && !r.cut:
		r.status = status
	}
}

// begin sends the status, if it has not been sent.
func (r *recorder) begin() {
	if !r.begun {
		r.begun, r.status = true, cmp.Or(r.status, http.StatusOK)
		r.ResponseWriter.WriteHeader(r.status)
	}
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.cut {
		return len(p), nil
	}
	r.begin()
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}

// Flush is for gzhttp, which uses no http.ResponseController. A failure shows at the next write.
func (r *recorder) Flush() {
	if !r.cut {
		r.begin()
		_ = http.NewResponseController(r.ResponseWriter).Flush()
	}
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

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
				slog.String("request_id", originOf(r.Context()).requestID), slog.String("stack", string(debug.Stack())))
			if guarded.begun {
				panic(http.ErrAbortHandler)
			}
			e.answer(w, r, routes.ErrInternal)
		}()
		next.ServeHTTP(guarded, r)
		guarded.begin()
	})
}
