package process

import (
	"context"
	"io"
	"log/slog"
	"strings"

	"go.opentelemetry.io/otel/trace"
)

// NewLogger writes one JSON object a line, each with the program's name, and with its trace
// if that is recorded. An unknown level means info. What is logged carries ids, never
// personal data, and never credentials.
func NewLogger(w io.Writer, service, level string) *slog.Logger {
	handler := slog.NewJSONHandler(w, &slog.HandlerOptions{Level: parseLevel(level)})
	return slog.New(tracedHandler{handler}).With("service", service)
}

// tracedHandler adds trace_id to what is logged within a trace.
type tracedHandler struct {
	slog.Handler
}

func (h tracedHandler) Handle(ctx context.Context, record slog.Record) error {
	span := trace.SpanContextFromContext(ctx)
	if span.IsSampled() {
		record.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, record)
}

func (h tracedHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return tracedHandler{h.Handler.WithAttrs(attrs)}
}

func (h tracedHandler) WithGroup(name string) slog.Handler {
	return tracedHandler{h.Handler.WithGroup(name)}
}

func parseLevel(level string) slog.Level {
	var parsed slog.Level
	err := parsed.UnmarshalText([]byte(strings.TrimSpace(level)))
	if err != nil {
		return slog.LevelInfo
	}
	return parsed
}
