package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
)

// forgottenEvery is how often forgotten work is looked for, besides at the start.
const forgottenEvery = 6 * time.Hour

// forgottenArgs asks to look for forgotten work.
type forgottenArgs struct{}

// Kind names the job.
func (forgottenArgs) Kind() string { return "enqueue_forgotten" }

type forgottenWorker struct {
	river.WorkerDefaults[forgottenArgs]
	store *postgres.Store
}

func (w *forgottenWorker) Work(ctx context.Context, _ *river.Job[forgottenArgs]) error {
	return w.store.EnqueueForgotten(ctx)
}
