package jobs

import "github.com/riverqueue/river"

// Workers says how each kind of job is done.
type Workers struct {
	river *river.Workers
	kinds []string
}

// NewWorkers knows no job yet.
func NewWorkers() *Workers {
	return &Workers{river: river.NewWorkers()}
}

// Add adds the worker of a kind of job. A kind that has one already panics.
func Add[T river.JobArgs](workers *Workers, worker river.Worker[T]) {
	river.AddWorker(workers.river, worker)
	var args T
	workers.kinds = append(workers.kinds, args.Kind())
}
