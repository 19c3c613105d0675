package pui

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/enlace-iis/enlace/services/process/tracing"
)

// startSpan records a request as its method and route. Its address, header and body stay
// here; what otelhttp would record of them is more than a trace may hold.
func startSpan(ctx context.Context, r request) (context.Context, trace.Span) {
	return tracing.Child(ctx, r.method+" "+r.path,
		trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(semconv.HTTPRequestMethodKey.String(r.method), semconv.URLTemplate(r.path)),
	)
}

// endSpan records what the platform answered: its status, or none.
func endSpan(span trace.Span, answer respuesta) {
	if answer.status != 0 {
		span.SetAttributes(semconv.HTTPResponseStatusCode(answer.status))
	}
	if answer.err != nil || answer.status >= http.StatusBadRequest {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
