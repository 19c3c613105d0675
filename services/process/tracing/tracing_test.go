package tracing

import (
	"errors"
	"net"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"

	_ "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1" // makes its methods known
)

const private = "SABC560626MDFLRN01"

func TestExport_isAClosedList(t *testing.T) {
	sent := tracetest.NewInMemoryExporter()
	traces := New(sdktrace.WithSyncer(closedExporter{sent}))
	_, span := traces.Tracer().Start(t.Context(), "hecho")
	span.SetAttributes(RequestID.String("r-1"), attribute.String("client.address", private), attribute.String("url.full", private))
	span.RecordError(errors.New(private))
	span.SetStatus(codes.Error, private)
	span.End()

	got := sent.GetSpans()
	if len(got) != 1 {
		t.Fatalf("%d spans", len(got))
	}
	if want := []attribute.KeyValue{RequestID.String("r-1")}; !slices.Equal(got[0].Attributes, want) {
		t.Errorf("attributes %v", got[0].Attributes)
	}
	if got[0].Status != (sdktrace.Status{Code: codes.Error}) || len(got[0].Events) > 0 {
		t.Errorf("status %v, events %v", got[0].Status, got[0].Events)
	}
}

func TestParent_isAllThatIsCarried(t *testing.T) {
	state, err := trace.ParseTraceState("a=" + private)
	if err != nil {
		t.Fatal(err)
	}
	span := trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled, TraceState: state,
	})
	carrier := mdCarrier(metadata.MD{})
	parentOnly{}.Inject(trace.ContextWithSpanContext(t.Context(), span), carrier)
	if len(carrier) != 1 || carrier.Get("traceparent") == "" {
		t.Errorf("carried %v", carrier)
	}
	carrier["tracestate"] = []string{"a=" + private}
	got := trace.SpanContextFromContext(parentOnly{}.Extract(t.Context(), carrier))
	if !got.Equal(span.WithTraceState(trace.TraceState{}).WithRemote(true)) {
		t.Errorf("taken %v", got)
	}
	for _, none := range []string{"", private, "00-0-0-01"} {
		if trace.SpanContextFromContext(WithParent(t.Context(), none)).IsValid() {
			t.Errorf("%q is taken for a parent", none)
		}
	}
}

// mdCarrier is metadata as propagators see it.
type mdCarrier metadata.MD

func (c mdCarrier) Set(key, value string) { metadata.MD(c).Set(key, value) }

func (c mdCarrier) Keys() []string { return nil }

func (c mdCarrier) Get(key string) string {
	values := metadata.MD(c).Get(key)
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

func TestIsOurs(t *testing.T) {
	for rpc, want := range map[string]bool{
		"/enlace.registros.v1.RegistroService/Ping":            true,
		"/enlace.registros.v1.RegistroService/" + private:      false,
		"/enlace." + private + "/Ping":                         false,
		"/enlace.registros.v1.RegistroService":                 false,
		"/grpc.health.v1.Health/Check":                         false,
		"/grpc.health.v1.Health/Watch":                         false,
		"/opentelemetry.proto.collector.trace.v1.X/" + private: false,
		"": false, "/": false, private: false,
	} {
		if isOurs(&stats.RPCTagInfo{FullMethodName: rpc}) != want {
			t.Errorf("%q: want %v", rpc, want)
		}
	}
}

// TestStop_withoutACollector: neither a start nor a stop depends on one.
func TestStop_withoutACollector(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }() // it takes connections and never answers
	traces, err := Start(t.Context(), "prueba", Config{Endpoint: "http://" + listener.Addr().String(), Sampler: "always_on"})
	if err != nil {
		t.Fatal(err)
	}
	_, span := traces.Tracer().Start(t.Context(), "hecho")
	span.End()
	stopped := make(chan error, 1)
	go func() { stopped <- traces.Stop(t.Context()) }()
	select {
	case err = <-stopped:
		if err != nil {
			t.Errorf("the program would fail: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the stop waits for the collector")
	}
}
