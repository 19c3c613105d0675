package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/enlace-iis/enlace/services/internal/pg"
)

// freeAbandoned hands back jobs that a worker took and never finished. River's own rescuer
// does the same but looks only every 30 seconds, counts it as a failed attempt and needs
// an elected leader, which a killed process may have been. A job whose time is up has
// already been cancelled where it runs, if it still does.
const freeAbandoned = `
UPDATE river_job
SET state = 'available', scheduled_at = now(), attempt = greatest(attempt - 1, 0)
WHERE state = 'running' AND attempted_at < now() - $1::interval`

// Rescue frees abandoned jobs until ctx ends. Every replica runs it; it is one indexed
// statement that usually touches nothing.
func Rescue(ctx context.Context, db *pg.DB, log *slog.Logger) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		err := rescueOnce(ctx, db, log)
		if err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "abandoned jobs could not be looked for", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func rescueOnce(ctx context.Context, db *pg.DB, log *slog.Logger) error {
	tag, err := db.Pool().Exec(ctx, freeAbandoned, rescueAfter+2*time.Second)
	if err != nil {
		return fmt.Errorf("free abandoned jobs: %w", err)
	}
	if tag.RowsAffected() > 0 {
		log.InfoContext(ctx, "abandoned jobs freed", "jobs", tag.RowsAffected())
	}
	return nil
}
