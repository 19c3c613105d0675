package tracing

import (
	"context"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// The attributes that OpenTelemetry has no name for.
const (
	RequestID = attribute.Key("enlace.request_id")
	JobID     = attribute.Key("enlace.job_id")
	Codigo    = attribute.Key("enlace.codigo") // of a refusal, as in its answer
)

// leaving is the closed list of attributes that leave a program. Each holds an id, a number
// or a text of ours. What instrumentation adds beyond it, such as addresses, stays here.
var leaving = map[attribute.Key]bool{
	RequestID: true,
	JobID:     true,
	Codigo:    true,

	semconv.HTTPRequestMethodKey:      true,
	semconv.HTTPRouteKey:              true,
	semconv.HTTPResponseStatusCodeKey: true,
	semconv.URLTemplateKey:            true,

	semconv.RPCMethodKey:             true,
	semconv.RPCSystemNameKey:         true,
	semconv.RPCResponseStatusCodeKey: true,
}

// closedExporter hands on what may leave of each span.
type closedExporter struct {
	sdktrace.SpanExporter
}

func (e closedExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	closed := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, span := range spans {
		closed[i] = closedSpan{span}
	}
	return e.SpanExporter.ExportSpans(ctx, closed)
}

// closedSpan shows of a span what may leave.
type closedSpan struct {
	sdktrace.ReadOnlySpan
}

func (s closedSpan) Attributes() []attribute.KeyValue {
	return slices.DeleteFunc(slices.Clone(s.ReadOnlySpan.Attributes()), func(a attribute.KeyValue) bool { return !leaving[a.Key] })
}

// Status leaves out the description: it would be the text of an error.
func (s closedSpan) Status() sdktrace.Status {
	return sdktrace.Status{Code: s.ReadOnlySpan.Status().Code}
}

// Events are errors and panics, with their texts.
func (s closedSpan) Events() []sdktrace.Event { return nil }
