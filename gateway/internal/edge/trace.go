package edge

import (
	"net/http"

	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/enlace-iis/enlace/services/process/tracing"
)

// trace records each request as a span. A trace begins here: a client's own traceparent is
// linked to and not followed, or anybody outside could decide what we record, and put his
// requests into the traces of others.
func (e *Edge) trace(next http.Handler) http.Handler {
	if e.tracer == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		options := append(tracing.Linked(r.Context(), r.Header.Get("Traceparent")), trace.WithSpanKind(trace.SpanKindServer))
		ctx, span := e.tracer.Start(r.Context(), methodLabel(r.Method), options...)
		defer func() {
			of(r).describe(span, methodLabel(r.Method))
			span.End()
		}()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// describe says of a request what its log line says, less the client.
func (x *exchange) describe(span trace.Span, method string) {
	span.SetAttributes(
		tracing.RequestID.String(x.requestID),
		semconv.HTTPRequestMethodKey.String(method),
		semconv.HTTPResponseStatusCode(x.answered),
	)
	if x.found != nil {
		span.SetName(method + " " + x.pattern())
		span.SetAttributes(semconv.HTTPRoute(x.pattern()))
	}
	if x.codigo != "" {
		span.SetAttributes(tracing.Codigo.String(x.codigo))
	}
	if x.answered >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
}
