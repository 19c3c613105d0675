package jobs

import (
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/rivertype"

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
