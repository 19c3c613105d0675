package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/enlace-iis/enlace/services/process/tracing"
)

// followFor is how long the runs of a job belong to the trace of what enqueued it. A job
// that is still tried later, because the platform is away, begins a new trace each time and
// links to the first: a trace that goes on for days is none that anybody can read.
const followFor = 10 * time.Minute

// traced carries traces across the queue, in the metadata of the jobs.
type traced struct {
	river.MiddlewareDefaults
	tracer trace.Tracer
}

// traces is the middleware of a client; none if nothing is traced.
func traces(t *tracing.Tracing) []rivertype.Middleware {
	if t == nil {
		return nil
	}
	return []rivertype.Middleware{&traced{tracer: t.Tracer()}}
}

// InsertMany implements [rivertype.JobInsertMiddleware].
func (m *traced) InsertMany(ctx context.Context, jobs []*rivertype.JobInsertParams, insert func(context.Context) ([]*rivertype.JobInsertResult, error)) ([]*rivertype.JobInsertResult, error) {
	parent := tracing.Parent(ctx)
	if parent == "" {
		return insert(ctx)
	}
	for _, job := range jobs {
		if traceparentOf(job.Metadata) != "" {
			continue
		}
		var err error
		job.Metadata, err = withParent(job.Metadata, parent)
		if err != nil {
			return nil, err
		}
	}
	return insert(ctx)
}

// Work implements [rivertype.WorkerMiddleware].
func (m *traced) Work(ctx context.Context, job *rivertype.JobRow, work func(context.Context) error) error {
	ctx, span := m.start(ctx, job)
	defer span.End()
	err := work(ctx)
	if err != nil && !isSnooze(err) {
		span.SetStatus(codes.Error, "")
	}
	return err
}

func (m *traced) start(ctx context.Context, job *rivertype.JobRow) (context.Context, trace.Span) {
	options := []trace.SpanStartOption{
		trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(tracing.JobID.Int64(job.ID)),
	}
	parent := traceparentOf(job.Metadata)
	if time.Since(job.CreatedAt) > followFor {
		options = append(options, tracing.Linked(ctx, parent)...)
	} else {
		ctx = tracing.WithParent(ctx, parent)
	}
	return m.tracer.Start(ctx, job.Kind, options...)
}

// carried is what of a job's metadata is ours.
type carried struct {
	Traceparent string `json:"traceparent"`
}

// traceparentOf is what the metadata of a job carries, or "".
func traceparentOf(metadata []byte) string {
	var c carried
	// Metadata without one, or of another shape, carries none.
	_ = json.Unmarshal(metadata, &c)
	return c.Traceparent
}

// InTrace is the metadata of a job that belongs to the trace of a traceparent, which may be
// "", and not to that of the transaction that enqueues it for several.
func InTrace(parent string) []byte {
	if parent == "" {
		return nil
	}
	metadata, _ := json.Marshal(carried{Traceparent: parent}) // of a text it never fails
	return metadata
}

// withParent adds a traceparent to the metadata of a job.
func withParent(metadata []byte, parent string) ([]byte, error) {
	fields := map[string]any{}
	if len(metadata) > 0 {
		err := json.Unmarshal(metadata, &fields)
		if err != nil {
			return nil, fmt.Errorf("read metadata of job: %w", err)
		}
	}
	fields["traceparent"] = parent
	return json.Marshal(fields)
}
