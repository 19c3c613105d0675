package process

import (
	"bytes"
	"encoding/json"
	"testing"

	"go.opentelemetry.io/otel/trace"
)

func TestNewLogger_namesTheTraceThatIsRecorded(t *testing.T) {
	traceID, spanID := trace.TraceID{1}, trace.SpanID{2}
	for _, tt := range []struct {
		name  string
		flags trace.TraceFlags
		want  any
	}{
		{"recorded", trace.FlagsSampled, traceID.String()},
		{"not recorded", 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID, SpanID: spanID, TraceFlags: tt.flags})
			var out bytes.Buffer
			log := NewLogger(&out, "prueba", "").With("caso_id", "c-1")
			log.InfoContext(trace.ContextWithSpanContext(t.Context(), span), "hecho")
			var line map[string]any
			err := json.Unmarshal(out.Bytes(), &line)
			if err != nil {
				t.Fatal(err)
			}
			if line["trace_id"] != tt.want || line["service"] != "prueba" || line["caso_id"] != "c-1" {
				t.Errorf("line %v, want trace %v", line, tt.want)
			}
		})
	}
}
