package jobs

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
)

type longArgs struct{}

func (longArgs) Kind() string { return "long" }

// longWorker works until it has said that it is there, and then until it is told that the job
// is not its own any more.
type longWorker struct {
	river.WorkerDefaults[longArgs]
	db   *pg.DB
	lost chan error
}

func (w *longWorker) Work(ctx context.Context, job *river.Job[longArgs]) error {
	return long(ctx, w.db, job.JobRow, 10*time.Millisecond, func(ctx context.Context) error {
		for said := false; !said; {
			err := w.db.Pool().QueryRow(ctx, `SELECT attempted_at > $2 FROM river_job WHERE id = $1`, job.ID, *job.AttemptedAt).Scan(&said)
			if err != nil {
				return err
			}
		}
		_, err := w.db.Pool().Exec(ctx, `UPDATE river_job SET state = 'cancelled', finalized_at = now() WHERE id = $1`, job.ID)
		if err != nil {
			return err
		}
		<-ctx.Done()
		w.lost <- nil
		return ctx.Err()
	})
}

// A long job is not taken for abandoned while it works, and stops once it is not its own.
func TestLong(t *testing.T) {
	db, _ := pgtest.Open(t, schema)
	w := &longWorker{db: db, lost: make(chan error, 1)}
	workers := NewWorkers()
	Add(workers, w)
	client, err := NewClient(db, Config{Workers: workers, StopLimit: time.Second, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	_, end := startClient(t, client)
	defer end()
	_, err = client.Insert(t.Context(), longArgs{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-w.lost:
	case <-time.After(limit):
		t.Fatal("the work did not end")
	}
}
