package tracing

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traceparent is the W3C header, metadata key and key of a job's metadata.
const traceparent = "traceparent"

// Parent is the span of ctx in the form of a traceparent, or "" outside of one.
func Parent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier[traceparent]
}

// WithParent makes ctx belong to the span of a traceparent; what is none changes nothing.
func WithParent(ctx context.Context, parent string) context.Context {
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{traceparent: parent})
}

// Linked are the options of a span that begins a trace of its own, though it follows from
// the span of a traceparent.
func Linked(ctx context.Context, parent string) []trace.SpanStartOption {
	options := []trace.SpanStartOption{trace.WithNewRoot()}
	span := trace.SpanContextFromContext(WithParent(ctx, parent))
	if span.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: span}))
	}
	return options
}

// parentOnly carries traceparent between programs, and no tracestate: that is free text of
// whoever called.
type parentOnly struct{}

func (parentOnly) Inject(ctx context.Context, carrier propagation.TextMapCarrier) {
	parent := Parent(ctx)
	if parent != "" {
		carrier.Set(traceparent, parent)
	}
}

func (parentOnly) Extract(ctx context.Context, carrier propagation.TextMapCarrier) context.Context {
	return WithParent(ctx, carrier.Get(traceparent))
}

func (parentOnly) Fields() []string { return []string{traceparent} }
