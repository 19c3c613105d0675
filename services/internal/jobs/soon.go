package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// soon is how often River's leader makes the scheduled jobs available that are due.
const soon = 5 * time.Second

// dueSoon makes a job that is due before the leader looks again available at once, as River
// itself does with a snooze. No worker takes it before its time, and none waits for a leader.
func dueSoon(_ context.Context, job *rivertype.JobInsertParams) error {
	if job.State == rivertype.JobStateScheduled && time.Until(*job.ScheduledAt) < soon {
		job.State = rivertype.JobStateAvailable
	}
	return nil
}

// Gathered is the instant, at or soon after the one given, at which jobs come due together.
func Gathered(at time.Time) time.Time {
	return at.Add(gather - 1).Truncate(gather)
}
