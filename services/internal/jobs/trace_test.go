package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/enlace-iis/enlace/services/process/tracing"
)

// newTraced gives the middleware, and what it records.
func newTraced() (*traced, *tracetest.SpanRecorder) {
	recorder := tracetest.NewSpanRecorder()
	traces := tracing.New(sdktrace.WithSampler(sdktrace.AlwaysSample()), sdktrace.WithSpanProcessor(recorder))
	return &traced{tracer: traces.Tracer()}, recorder
}

// carriedBy gives the metadata of a job that is enqueued in ctx.
func carriedBy(ctx context.Context, t *testing.T, m *traced, metadata string) []byte {
	t.Helper()
	params := &rivertype.JobInsertParams{Metadata: []byte(metadata)}
	_, err := m.InsertMany(ctx, []*rivertype.JobInsertParams{params}, func(context.Context) ([]*rivertype.JobInsertResult, error) {
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return params.Metadata
}

func TestTraced_jobGoesOnWithTheTraceForAWhile(t *testing.T) {
	m, recorder := newTraced()
	ctx, request := m.tracer.Start(t.Context(), "request")
	metadata := carriedBy(ctx, t, m, `{"otro":1}`)
	request.End()
	for _, age := range []time.Duration{0, followFor + time.Minute} {
		job := &rivertype.JobRow{ID: 7, Kind: "prueba", Metadata: metadata, CreatedAt: time.Now().Add(-age)}
		err := m.Work(t.Context(), job, func(context.Context) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	spans := recorder.Ended()
	if len(spans) != 3 {
		t.Fatalf("%d spans", len(spans))
	}
	soon, late := spans[1], spans[2]
	if soon.Parent().SpanID() != request.SpanContext().SpanID() || soon.Name() != "prueba" || len(soon.Links()) > 0 {
		t.Errorf("a job that runs soon: parent %v, links %v", soon.Parent(), soon.Links())
	}
	if late.Parent().IsValid() || len(late.Links()) != 1 || late.Links()[0].SpanContext.SpanID() != request.SpanContext().SpanID() {
		t.Errorf("a job that runs late: parent %v, links %v", late.Parent(), late.Links())
	}
	var kept struct{ Otro int }
	err := json.Unmarshal(metadata, &kept)
	if err != nil || kept.Otro != 1 {
		t.Errorf("metadata %s, %v", metadata, err)
	}
}

// Whoever enqueues for several says of each whose it is.
func TestTraced_jobOfAnotherTraceThanItsTransaction(t *testing.T) {
	m, _ := newTraced()
	ctx, other := m.tracer.Start(t.Context(), "of the transaction")
	other.End()
	ctxOwn, own := m.tracer.Start(t.Context(), "of the job")
	own.End()
	metadata := carriedBy(ctx, t, m, string(InTrace(tracing.Parent(ctxOwn))))
	if traceparentOf(metadata) != tracing.Parent(ctxOwn) {
		t.Errorf("metadata %s", metadata)
	}
	if metadata := carriedBy(ctx, t, m, string(InTrace(""))); traceparentOf(metadata) != tracing.Parent(ctx) {
		t.Errorf("of one that says nothing: %s", metadata)
	}
}

func TestTraced_jobOfNoTrace(t *testing.T) {
	m, recorder := newTraced()
	metadata := carriedBy(t.Context(), t, m, `{}`)
	if string(metadata) != `{}` {
		t.Errorf("metadata %s", metadata)
	}
	for _, each := range []string{``, `{}`, `[]`, `{"traceparent":"x"}`, `{"traceparent":7}`} {
		err := m.Work(t.Context(), &rivertype.JobRow{Metadata: []byte(each), CreatedAt: time.Now()}, func(context.Context) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, span := range recorder.Ended() {
		if span.Parent().IsValid() {
			t.Errorf("parent %v", span.Parent())
		}
	}
}

func TestTraced_statusOfARun(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want codes.Code
	}{
		{"done", nil, codes.Unset},
		{"a pause", river.JobSnooze(time.Second), codes.Unset},
		{"failed", errors.New("private"), codes.Error},
	} {
		for how, work := range map[string]func(context.Context) error{
			"plain":   func(context.Context) error { return tt.err },
			"durable": func(ctx context.Context) error { return Durable(ctx, &rivertype.JobRow{}, tt.err) },
		} {
			t.Run(tt.name+" "+how, func(t *testing.T) {
				m, recorder := newTraced()
				_ = m.Work(t.Context(), &rivertype.JobRow{CreatedAt: time.Now()}, work) // River takes it from here
				if got := recorder.Ended()[0].Status(); got.Code != tt.want || got.Description != "" {
					t.Errorf("status %+v", got)
				}
			})
		}
	}
}
