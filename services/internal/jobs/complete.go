package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/rivertype"
)

// completed removes jobs, unless they were taken for abandoned: then somebody else has them, or
// will. What they did is told elsewhere, and a row that is kept would cost another entry in each
// index of the queue, and be removed later.
const completed = `
DELETE FROM river_job j USING unnest($1::bigint[], $2::timestamptz[]) AS r (id, attempted_at)
WHERE j.id = r.id AND j.state = 'running' AND j.attempted_at = r.attempted_at`

// Complete ends running jobs in tx, so that what their end follows from is committed with it. The
// jobs are gone then; River, which looks for them once more, takes that well.
func Complete(ctx context.Context, tx pgx.Tx, running []*rivertype.JobRow) error {
	if len(running) == 0 {
		return nil
	}
	ids := make([]int64, len(running))
	attempts := make([]*time.Time, len(running))
	for n, job := range running {
		ids[n], attempts[n] = job.ID, job.AttemptedAt
	}
	tag, err := tx.Exec(ctx, completed, ids, attempts)
	if err != nil {
		return fmt.Errorf("complete jobs: %w", err)
	}
	if int(tag.RowsAffected()) < len(running) {
		return errors.New("complete jobs: another worker has one now")
	}
	return nil
}
