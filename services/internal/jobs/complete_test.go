package jobs

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
)

// A job that was taken for abandoned and runs elsewhere is not its first worker's to end.
func TestComplete_onlyTheRunThatHasTheJob(t *testing.T) {
	db, _ := pgtest.Open(t, schema)
	client, err := NewClient(db, Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	inserted, err := client.Insert(t.Context(), numbersArgs{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, second := *inserted.Job, *inserted.Job
	run := `UPDATE river_job SET state = 'running', attempted_at = clock_timestamp() WHERE id = $1 RETURNING attempted_at`
	err = db.Pool().QueryRow(t.Context(), run, first.ID).Scan(&first.AttemptedAt)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Pool().QueryRow(t.Context(), run, second.ID).Scan(&second.AttemptedAt)
	if err != nil {
		t.Fatal(err)
	}
	complete := func(job *rivertype.JobRow) error {
		return pgx.BeginFunc(t.Context(), db.Pool(), func(tx pgx.Tx) error { return Complete(t.Context(), tx, []*rivertype.JobRow{job}) })
	}
	if complete(&first) == nil {
		t.Error("the first worker ended what the second one has")
	}
	if err := complete(&second); err != nil {
		t.Errorf("the second worker: %v", err)
	}
	if complete(&second) == nil {
		t.Error("it ended twice")
	}
}

// completer ends its jobs itself.
type completer struct {
	river.WorkerDefaults[numbersArgs]
	db    *pg.DB
	ended chan struct{}
}

func (w *completer) Work(ctx context.Context, job *river.Job[numbersArgs]) error {
	defer func() { w.ended <- struct{}{} }()
	return pgx.BeginFunc(ctx, w.db.Pool(), func(tx pgx.Tx) error { return Complete(ctx, tx, []*rivertype.JobRow{job.JobRow}) })
}

// River has nothing to say against a job that is gone when it comes to end it.
func TestComplete_leavesNothing(t *testing.T) {
	db, _ := pgtest.Open(t, schema)
	worker := &completer{db: db, ended: make(chan struct{}, 1)}
	workers := NewWorkers()
	Add(workers, worker)
	var log bytes.Buffer
	client, err := NewClient(db, Config{Workers: workers, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	if err != nil {
		t.Fatal(err)
	}
	_, end := startClient(t, client)
	_, err = client.Insert(t.Context(), numbersArgs{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-worker.ended:
	case <-time.After(limit):
		t.Error("the job did not end")
	}
	end()
	if states := countStates(t, db); len(states) > 0 || log.Len() > 0 {
		t.Errorf("jobs by state: %v; %s", states, &log)
	}
}
