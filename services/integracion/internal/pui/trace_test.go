package pui

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/process/tracing"
)

func TestClient_recordsWhatItAsksAndTellsNobody(t *testing.T) {
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Traceparent", "Tracestate", "Baggage", "X-Request-Id"} {
			if r.Header.Get(name) != "" {
				t.Errorf("%s: the platform gets %s", r.URL.Path, name)
			}
		}
		if r.URL.Path == "/base/login" {
			_, _ = w.Write([]byte(`{"token":"x"}`)) // the client sees what is missing
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(platform.Close)
	recorder := tracetest.NewSpanRecorder()
	traces := tracing.New(sdktrace.WithSampler(sdktrace.AlwaysSample()), sdktrace.WithSpanProcessor(recorder))
	ctx, parent := traces.Tracer().Start(t.Context(), "delivery")
	newClient(t, time.Minute).NotifyCoincidencia(ctx, institucionAt(platform.URL+"/base"), newCoincidencia(manual.FaseBasicos))
	parent.End()

	type seen struct {
		name, template string
		status         int64
		code           codes.Code
	}
	want := map[string]seen{
		"POST /login":                  {"POST /login", "/login", 200, codes.Unset},
		"POST /notificar-coincidencia": {"POST /notificar-coincidencia", "/notificar-coincidencia", 500, codes.Error},
	}
	for _, span := range recorder.Ended() {
		if span.Name() == "delivery" {
			continue
		}
		got := seen{name: span.Name(), code: span.Status().Code}
		for _, a := range span.Attributes() {
			switch a.Key {
			case "url.template":
				got.template = a.Value.AsString()
			case "http.response.status_code":
				got.status = a.Value.AsInt64()
			case "http.request.method":
			default:
				t.Errorf("%s records %s", span.Name(), a.Key)
			}
		}
		if got != want[span.Name()] || span.SpanKind() != trace.SpanKindClient || span.Parent().SpanID() != parent.SpanContext().SpanID() {
			t.Errorf("recorded %+v, parent %v", got, span.Parent())
		}
		delete(want, span.Name())
	}
	if len(want) > 0 {
		t.Errorf("not recorded: %v", want)
	}
}
