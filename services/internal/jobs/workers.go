package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

// Workers says how each kind of job is done, and which are begun by the clock.
type Workers struct {
	river    *river.Workers
	kinds    []string
	periodic []*river.PeriodicJob
}

// NewWorkers knows no job yet.
func NewWorkers() *Workers {
	return &Workers{river: river.NewWorkers()}
}

// Add adds the worker of a kind of job. A kind that has one already panics.
func Add[T river.JobArgs](workers *Workers, worker river.Worker[T]) {
	var args T
	add(workers, args, worker)
}

// AddSweep adds a kind of job that is begun at the start and then at that interval, on one
// replica at a time: a [Sweep] by batch.
func AddSweep[K any](workers *Workers, kind string, interval time.Duration, batch Batch[K]) {
	args := sweepArgs{kind: kind}
	add(workers, args, &sweepWorker[K]{batch: batch})
	workers.Periodically(every(interval, args))
}

// Periodically adds a job that is begun by the clock, on one replica at a time.
func (w *Workers) Periodically(job *river.PeriodicJob) {
	w.periodic = append(w.periodic, job)
}

func add[T river.JobArgs](workers *Workers, args T, worker river.Worker[T]) {
	river.AddWorkerArgs(workers.river, args, worker)
	workers.kinds = append(workers.kinds, args.Kind())
}

// sweepArgs ask for a sweep. All there is to say of one is its kind.
type sweepArgs struct{ kind string }

// Kind names the job.
func (a sweepArgs) Kind() string { return a.kind }

type sweepWorker[K any] struct {
	river.WorkerDefaults[sweepArgs]
	batch Batch[K]
}

// Work is one run of the sweep.
func (w *sweepWorker[K]) Work(ctx context.Context, job *river.Job[sweepArgs]) error {
	return Sweep(ctx, job.JobRow, w.batch)
}
