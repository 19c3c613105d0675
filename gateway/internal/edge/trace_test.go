package edge

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	grpccodes "google.golang.org/grpc/codes"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/process/tracing"
)

// newRecordingStack starts a stack that traces every request, and records what it traced.
func newRecordingStack(t *testing.T) (*stack, *tracetest.SpanRecorder) {
	t.Helper()
	recorder := tracetest.NewSpanRecorder()
	traces := tracing.New(sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.AlwaysSample())), sdktrace.WithSpanProcessor(recorder))
	s := newTracedStack(t, traces.Tracer(), nil)
	s.everyRPC()
	return s, recorder
}

// waitSpan gives the only span once it is there: it ends after the client has its answer.
func waitSpan(t *testing.T, recorder *tracetest.SpanRecorder) sdktrace.ReadOnlySpan {
	t.Helper()
	deadline := time.After(time.Minute)
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for len(recorder.Ended()) == 0 {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatal("no span has ended")
		}
	}
	spans := recorder.Ended()
	if len(spans) != 1 || len(recorder.Started()) != 1 {
		t.Fatalf("%d spans, want 1", len(spans))
	}
	return spans[0]
}

func attributesOf(span sdktrace.ReadOnlySpan) map[string]string {
	all := map[string]string{}
	for _, a := range span.Attributes() {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

func TestTrace_namesTheRouteAndNothingOfTheClient(t *testing.T) {
	for _, tt := range []struct {
		name         string
		method, path string
		want         string
		attributes   map[string]string
	}{
		{"a route", "POST", "/cliente/sandbox/ping", "POST /cliente/sandbox/ping", map[string]string{
			"http.request.method": "POST", "http.route": "/cliente/sandbox/ping", "http.response.status_code": "200",
		}},
		{"ids in the path", "GET", "/webhooks/api-keys/LAB010101AB1", "GET /webhooks/api-keys/{id_empresa}", map[string]string{
			"http.request.method": "GET", "http.route": "/webhooks/api-keys/{id_empresa}", "http.response.status_code": "200",
		}},
		{"a query", "GET", "/cliente/casos?curp=SABC560626MDFLRN01", "GET /cliente/casos", map[string]string{
			"http.request.method": "GET", "http.route": "/cliente/casos", "http.response.status_code": "400",
			"enlace.codigo": "parametro_no_admitido",
		}},
		{"no route", "GET", "/SABC560626MDFLRN01", "GET", map[string]string{
			"http.request.method": "GET", "http.response.status_code": "404", "enlace.codigo": "no_encontrado",
		}},
		{"an invented method", "SABC560626MDFLRN01", "/cliente/casos", "OTHER /cliente/casos", map[string]string{
			"http.request.method": "OTHER", "http.route": "/cliente/casos", "http.response.status_code": "405",
			"enlace.codigo": "metodo_no_permitido",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, recorder := newRecordingStack(t)
			s.send(tt.method, tt.path, "", "X-API-Key", goodKey, "Authorization", goodToken, "X-Request-ID", "r-1-test", "User-Agent", "SABC560626MDFLRN01")
			span := waitSpan(t, recorder)
			if span.Name() != tt.want {
				t.Errorf("name %q, want %q", span.Name(), tt.want)
			}
			tt.attributes["enlace.request_id"] = "r-1-test"
			if diff := cmp.Diff(tt.attributes, attributesOf(span)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTrace_ofAClientIsLinkedAndNotFollowed(t *testing.T) {
	const client = "4bf92f3577b34da6a3ce929d0e0e4736"
	for _, tt := range []struct {
		name, traceparent string
		links             int
	}{
		{"recorded", "00-" + client + "-00f067aa0ba902b7-01", 1},
		// A client must not keep its requests out of our traces either.
		{"not recorded", "00-" + client + "-00f067aa0ba902b7-00", 1},
		{"none", "", 0},
		{"no traceparent", "SABC560626MDFLRN01", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, recorder := newRecordingStack(t)
			s.post("/cliente/sandbox/ping", "", "Traceparent", tt.traceparent, "Tracestate", "a=SABC560626MDFLRN01")
			span := waitSpan(t, recorder)
			if span.Parent().IsValid() || span.SpanContext().TraceID().String() == client {
				t.Error("the client's trace is followed")
			}
			if len(span.Links()) != tt.links {
				t.Fatalf("%d links, want %d", len(span.Links()), tt.links)
			}
			for _, link := range span.Links() {
				if link.SpanContext.TraceID().String() != client || link.SpanContext.TraceState().Len() > 0 {
					t.Errorf("linked to %v", link.SpanContext)
				}
			}
			if got := s.last(registrosv1.RegistroService_Ping_FullMethodName).metadata.Get("traceparent"); len(got) > 0 {
				t.Errorf("the service is told %v", got)
			}
		})
	}
}

func TestTrace_ofAFailure(t *testing.T) {
	s, recorder := newRecordingStack(t)
	s.fail(registrosv1.RegistroService_Ping_FullMethodName, refusal(grpccodes.Unavailable, "NO_DISPONIBLE", "SABC560626MDFLRN01"))
	s.post("/cliente/sandbox/ping", "")
	span := waitSpan(t, recorder)
	if span.Status() != (sdktrace.Status{Code: codes.Error}) || span.SpanKind() != trace.SpanKindServer || len(span.Events()) > 0 {
		t.Errorf("status %v, kind %v, events %v", span.Status(), span.SpanKind(), span.Events())
	}
}
