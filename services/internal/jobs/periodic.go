package jobs

import (
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// every enqueues args at the start and then at that interval, once for all replicas. While
// one of the kind is not done there is no other, so that a long one is neither doubled nor
// begun again.
func every(interval time.Duration, args river.JobArgs) *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(interval),
		func() (river.JobArgs, *river.InsertOpts) {
			return args, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByState: unfinished}}
		},
		&river.PeriodicJobOpts{RunOnStart: true})
}

// OneUnfinished lets no second job with the same arguments in before the first is over.
func OneUnfinished() river.UniqueOpts {
	return river.UniqueOpts{ByArgs: true, ByState: unfinished}
}

// unfinished are the states of a job that is still to be done.
var unfinished = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
	rivertype.JobStateRunning, rivertype.JobStateScheduled,
}
