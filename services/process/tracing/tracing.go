package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/enlace-iis/enlace/services/process"
)

// scope names our own spans beside those of gRPC's instrumentation.
const scope = "enlace"

// flushLimit is how long a stop waits for a collector to take the last spans.
const flushLimit = 3 * time.Second

// Tracing makes a program's spans. A nil one makes none. Safe for concurrent use.
type Tracing struct {
	provider *sdktrace.TracerProvider
}

// Start sends the spans of a program to the collector of the settings, or gives nil if
// there is none. The collector need not be up: what it does not take is dropped, and said
// in the log. Whoever recorded them, spans leave with the attributes of a closed list and
// without any text that was made at run time; see closed.go.
func Start(ctx context.Context, program string, cfg Config) (*Tracing, error) {
	if cfg.Endpoint == "" {
		return nil, nil
	}
	sampler, err := cfg.sampler()
	if err != nil {
		return nil, fmt.Errorf("start tracing: %w", err)
	}
	source, err := resource.New(ctx,
		resource.WithAttributes(semconv.ServiceName(program), semconv.ServiceVersion(process.Version())),
		resource.WithFromEnv(),
	)
	if err != nil {
		return nil, fmt.Errorf("start tracing: %w", err)
	}
	exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(cfg.Endpoint))
	if err != nil {
		return nil, fmt.Errorf("start tracing: %w", err)
	}
	// The only way to hear of spans that could not be sent. It is global, as they are.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { slog.Warn("traces were not sent", "error", err) }))
	return New(
		sdktrace.WithResource(source),
		sdktrace.WithSampler(sampler),
		sdktrace.WithBatcher(closedExporter{exporter}),
	), nil
}

// New makes a Tracing whose spans go wherever options say, closed list or not; see [Start].
func New(options ...sdktrace.TracerProviderOption) *Tracing {
	return &Tracing{provider: sdktrace.NewTracerProvider(options...)}
}

// Stop sends what has not been sent, as long as that takes a few seconds at most. A program
// does not fail because nobody takes its traces.
func (t *Tracing) Stop(ctx context.Context) error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, flushLimit)
	defer cancel()
	err := t.provider.Shutdown(ctx)
	if err != nil {
		slog.WarnContext(ctx, "the last traces were not sent", "error", err)
	}
	return nil
}

// Tracer makes spans that are not gRPC's, or is nil when nothing is traced.
func (t *Tracing) Tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer(scope)
}

// SetRequestID tells the span of ctx which request it is part of.
func SetRequestID(ctx context.Context, id string) {
	span := trace.SpanFromContext(ctx)
	if span.IsRecording() {
		span.SetAttributes(RequestID.String(id))
	}
}

// Child begins a span within the one of ctx; outside of one it records nothing. name and
// attributes must be known at build time or be ids.
func Child(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	return trace.SpanFromContext(ctx).TracerProvider().Tracer(scope).Start(ctx, name, options...)
}
