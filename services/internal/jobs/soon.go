package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
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

// hurried is what [river.Client.JobRetry] does, for several.
const hurried = `
UPDATE river_job SET state = 'available', scheduled_at = now()
WHERE id = ANY ($1) AND state IN ('available', 'scheduled') AND scheduled_at > now()`

// Hurry has jobs begin now that wait for a later time, within tx.
func Hurry(ctx context.Context, tx pgx.Tx, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, hurried, ids)
	if err != nil {
		return fmt.Errorf("hurry jobs: %w", err)
	}
	return nil
}
