package jobs

import (
	"time"

	"github.com/riverqueue/river"
)

// Every enqueues args at the start and then at that interval, once for all replicas.
func Every(interval time.Duration, args river.JobArgs) *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(interval),
		func() (river.JobArgs, *river.InsertOpts) { return args, nil },
		&river.PeriodicJobOpts{RunOnStart: true})
}
