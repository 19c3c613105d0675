package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/rivertype"

	"github.com/enlace-iis/enlace/services/internal/pg"
)

// LongTimeout bounds a job that works within [Long]. Its worker's Timeout has to say so.
const LongTimeout = 10 * time.Minute

// Long does work that may take longer than [Timeout]. It says every few seconds that the job
// is not abandoned; the job of a killed process is, as soon as any other.
func Long(ctx context.Context, db *pg.DB, job *rivertype.JobRow, work func(context.Context) error) error {
	return long(ctx, db, job, sweepEvery, work)
}

func long(ctx context.Context, db *pg.DB, job *rivertype.JobRow, every time.Duration, work func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var beats sync.WaitGroup
	beats.Go(func() {
		defer cancel()
		keepAlive(ctx, db, job, every)
	})
	err := work(ctx)
	cancel()
	beats.Wait()
	return err
}

// stillHere moves the instant by which a job is taken for abandoned, unless somebody else has
// the job by now.
const stillHere = `
UPDATE river_job SET attempted_at = clock_timestamp() WHERE id = $1 AND state = 'running' AND attempted_at = $2
RETURNING attempted_at`

// keepAlive ends with ctx, or when the job is no longer this process's.
func keepAlive(ctx context.Context, db *pg.DB, job *rivertype.JobRow, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	last := *job.AttemptedAt
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := db.Pool().QueryRow(ctx, stillHere, job.ID, last).Scan(&last)
		if errors.Is(err, pgx.ErrNoRows) {
			slog.WarnContext(ctx, "job was taken for abandoned; it goes on elsewhere", "kind", job.Kind, "job_id", job.ID)
			return
		}
		if err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "job could not say that it is not abandoned", "kind", job.Kind, "job_id", job.ID, "error", err)
		}
	}
}
