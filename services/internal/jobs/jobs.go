// Package jobs is River as both services use it: jobs are enqueued in the transaction of
// what they follow from, never give up, and run elsewhere soon after a worker died.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/process/tracing"
)

// Client is River on pgx.
type Client = river.Client[pgx.Tx]

const (
	// Timeout bounds one run of a job. It is longer than one call to the platform (15 s)
	// and short, because a killed worker's job waits for it before it runs elsewhere.
	Timeout = 18 * time.Second
	// rescueAfter is when a running job counts as abandoned.
	rescueAfter = Timeout
	// sweepEvery is how often abandoned jobs are looked for.
	sweepEvery = 5 * time.Second
	// retryAfter is about how long a job rests after an unexpected error.
	retryAfter = 3 * time.Second
	// keepCompleted bounds the queue's table; what happened is kept elsewhere.
	keepCompleted = time.Hour
	// fetchEvery is how far apart fetches are at least.
	fetchEvery = 20 * time.Millisecond
	// gather is how far apart they are of what nobody waits for: what is done together shares its
	// transactions, and most of what a job costs.
	gather = 200 * time.Millisecond
	// pollEvery is how long a new job may wait behind a pooler, where nobody can be told of it.
	pollEvery = 500 * time.Millisecond
)

// Config is what differs between the services.
type Config struct {
	// Workers says how each job is done; nil makes a client that only enqueues.
	Workers *Workers
	// MaxWorkers bounds the jobs that run at once here; 0 means 100 per core: nearly all of their
	// time they wait for the platform, and those of an institution share their transactions.
	MaxWorkers int
	// Patient says that nobody waits for these jobs: those that come in quick succession begin together.
	Patient bool
	// StopLimit bounds a stop. Running jobs may finish within three quarters of it, which by
	// default (20 s) is as long as one call to the platform; what runs on is then cut short
	// and free for another replica at once. Zero: they all finish.
	StopLimit time.Duration
	Log       *slog.Logger
	// Tracing records the runs of jobs, within the traces of what they follow from. Nil:
	// it does not.
	Tracing *tracing.Tracing
	// Metrics takes how much work waits. Nil: none.
	Metrics prometheus.Registerer
}

// NewClient makes a River client on db. The caller starts it with the context whose end is
// the order to stop: from then on it takes no more jobs. Stop waits for the running ones.
func NewClient(db *pg.DB, cfg Config) (*Client, error) {
	config := &river.Config{
		JobTimeout:                  Timeout,
		RescueStuckJobsAfter:        rescueAfter,
		CompletedJobRetentionPeriod: keepCompleted,
		FetchCooldown:               fetchEvery,
		// The application role owns none, and may rebuild none.
		ReindexerIndexNames: []string{},
		Logger:              cfg.Log,
		RetryPolicy:         steadyRetry{},
		SoftStopTimeout:     cfg.StopLimit * 3 / 4,
		Hooks:               []rivertype.Hook{river.HookInsertBeginFunc(dueSoon)},
		Middleware:          append(traces(cfg.Tracing), &recovering{}),
	}
	if db.Pooled() {
		// LISTEN belongs to a session.
		config.PollOnly, config.FetchPollInterval = true, pollEvery
	}
	if cfg.Workers != nil {
		config.Workers, config.PeriodicJobs = cfg.Workers.river, cfg.Workers.periodic
		maxWorkers := cfg.MaxWorkers
		if maxWorkers == 0 {
			maxWorkers = 100 * runtime.GOMAXPROCS(0)
		}
		queue := river.QueueConfig{MaxWorkers: maxWorkers}
		if cfg.Patient {
			// Of this queue only: the client's own also says which inserts wake the others.
			queue.FetchCooldown = gather
		}
		config.Queues = map[string]river.QueueConfig{river.QueueDefault: queue}
	}
	client, err := river.NewClient(riverpgxv5.New(db.Pool()), config)
	if err != nil {
		return nil, fmt.Errorf("make job client: %w", err)
	}
	if cfg.Workers != nil {
		sampleOf(db, cfg.Workers.kinds).Register(cfg.Metrics)
	}
	return client, nil
}

// recovering makes an error of a panic. River's own recovery would log its value and keep it with
// the job.
type recovering struct {
	river.MiddlewareDefaults
}

// Work implements [rivertype.WorkerMiddleware].
func (*recovering) Work(ctx context.Context, _ *rivertype.JobRow, work func(context.Context) error) (err error) {
	defer func() {
		value := recover()
		if value != nil {
			err = errs.Recovered(value)
		}
	}()
	return work(ctx)
}

// Durable turns the error of a run into another try a few seconds later, without end:
// what Enlace has promised to tell is told, however long a failure lasts. The error is
// logged here, once. A snooze passes through, and a run that a stop cut short is free for
// another replica at once.
func Durable(ctx context.Context, job *rivertype.JobRow, err error) error {
	if err == nil || isSnooze(err) {
		return err
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, context.DeadlineExceeded) {
		slog.WarnContext(ctx, "job ran out of time; it will run again", "kind", job.Kind, "job_id", job.ID)
		return river.JobSnooze(jittered(retryAfter))
	}
	if cause != nil {
		return river.JobSnooze(0)
	}
	trace.SpanFromContext(ctx).SetStatus(codes.Error, "")
	slog.ErrorContext(ctx, "job failed; it will run again", "kind", job.Kind, "job_id", job.ID, "error", err)
	return river.JobSnooze(jittered(retryAfter))
}

func isSnooze(err error) bool {
	_, ok := err.(*river.JobSnoozeError) //nolint:errorlint // River itself only looks at the outermost error
	return ok
}

// steadyRetry is for what Durable does not see: panics and rescued jobs.
type steadyRetry struct{}

func (steadyRetry) NextRetry(*rivertype.JobRow) time.Time {
	return time.Now().Add(jittered(retryAfter))
}

// jittered spreads d by a fifth to either side, so that what failed together does not come
// back together.
func jittered(d time.Duration) time.Duration {
	return d*4/5 + rand.N(d*2/5) //nolint:gosec // spreading load needs no secrecy
}

// Stop takes no more jobs and waits until the running ones have ended or were cut short.
func Stop(ctx context.Context, client *Client) error {
	err := client.Stop(ctx)
	if err != nil {
		return fmt.Errorf("stop jobs: %w", err)
	}
	return nil
}
