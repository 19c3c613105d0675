package jobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/rivertype"
)

// completed ends a job, unless it was taken for abandoned: then somebody else has it, or will.
// River's own statement for it takes many jobs and is planned anew each time.
const completed = `
UPDATE river_job SET state = 'completed', finalized_at = now() WHERE id = $1 AND state = 'running' AND attempted_at = $2`

// Complete ends the running job in tx, so that what its end follows from is committed with it.
func Complete(ctx context.Context, tx pgx.Tx, job *rivertype.JobRow) error {
	tag, err := tx.Exec(ctx, completed, job.ID, job.AttemptedAt)
	if err != nil {
		return fmt.Errorf("complete job: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errors.New("complete job: another worker has it now")
	}
	return nil
}
