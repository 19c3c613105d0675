package jobs

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
)

// limit bounds every wait. It is shorter than the time after which a job counts as
// abandoned, so that nothing here is owed to a rescue.
const limit = rescueAfter - sweepEvery

// schema is River's own.
var schema = pg.Migrations{Files: fstest.MapFS{"migrations/00001_vacia.sql": {Data: []byte("-- +goose Up\nSELECT 1;\n")}}}

// replica is a client as a service has it, with one kind of job.
type replica struct {
	*Client
	began chan struct{}
	goOn  chan struct{}
	stop  func() // gives the order
	end   func() // and waits
}

type waitArgs struct{}

func (waitArgs) Kind() string { return "wait" }

type waitWorker struct {
	river.WorkerDefaults[waitArgs]
	replica *replica
}

// Work lasts until the test lets it go on, or until it is cut short.
func (w *waitWorker) Work(ctx context.Context, job *river.Job[waitArgs]) error {
	w.replica.began <- struct{}{}
	select {
	case <-w.replica.goOn:
		return nil
	case <-ctx.Done():
		return Durable(ctx, job.JobRow, ctx.Err())
	}
}

func startReplica(t *testing.T, db *pg.DB, stopLimit time.Duration) *replica {
	t.Helper()
	r := &replica{began: make(chan struct{}, 1), goOn: make(chan struct{})}
	workers := NewWorkers()
	Add(workers, &waitWorker{replica: r})
	client, err := NewClient(db, Config{Workers: workers, StopLimit: stopLimit, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r.Client = client
	r.stop, r.end = startClient(t, client)
	t.Cleanup(r.end)
	return r
}

// startClient has a client work until it is told to stop, or is ended as a program ends.
func startClient(t *testing.T, client *Client) (stop, end func()) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	err := client.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return stop, func() {
		stop()
		err := Stop(context.Background(), client)
		if err != nil {
			t.Error(err)
		}
	}
}

func awaitJob(t *testing.T, r *replica) {
	t.Helper()
	select {
	case <-r.began:
	case <-time.After(limit):
		t.Fatal("no job began in time")
	}
}

func enqueue(t *testing.T, r *replica) {
	t.Helper()
	_, err := r.Insert(t.Context(), waitArgs{}, nil)
	if err != nil {
		t.Fatal(err)
	}
}

func TestStop_runningJobsFinish(t *testing.T) {
	db, _ := pgtest.Open(t, schema)
	r := startReplica(t, db, time.Hour)
	enqueue(t, r)
	awaitJob(t, r)
	r.stop()
	stopped := r.Stopped()

	// What runs is left alone. A fetch that was under way may still take what comes now; then
	// that too is finished, or else it is there for others.
	enqueue(t, r)
	close(r.goOn)
	<-stopped

	states := countStates(t, db)
	if states["completed"] == 0 || states["completed"]+states["available"] != 2 {
		t.Errorf("jobs by state: %v", states)
	}
}

func TestStop_aJobThatIsCutRunsElsewhereAtOnce(t *testing.T) {
	db, _ := pgtest.Open(t, schema)
	first := startReplica(t, db, 200*time.Millisecond)
	enqueue(t, first)
	awaitJob(t, first)
	second := startReplica(t, db, time.Hour)

	first.end()

	awaitJob(t, second)
	close(second.goOn)
}

// The term of a leader that resigned has not run out when the next one is elected.
func TestStop_anotherReplicaLeadsBeforeTheTermIsOver(t *testing.T) {
	db, _ := pgtest.Open(t, schema)
	first := startReplica(t, db, time.Hour)
	await(t, "a leader", func() bool { return leader(t, db).id == first.ID() })
	second := startReplica(t, db, time.Hour)
	before := leader(t, db)

	first.end()

	await(t, "the next leader", func() bool { return leader(t, db).id == second.ID() })
	if after := leader(t, db); !after.electedAt.Before(before.expiresAt) {
		t.Errorf("elected at %v, after the term that ended at %v", after.electedAt, before.expiresAt)
	}
}

type term struct {
	id                   string
	electedAt, expiresAt time.Time
}

// leader gives the present term, none if nobody leads.
func leader(t *testing.T, db *pg.DB) term {
	t.Helper()
	var found term
	err := db.Pool().QueryRow(t.Context(), `
		SELECT coalesce(max(leader_id), ''), coalesce(max(elected_at), 'epoch'), coalesce(max(expires_at), 'epoch')
		FROM river_leader`).Scan(&found.id, &found.electedAt, &found.expiresAt)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func countStates(t *testing.T, db *pg.DB) map[string]int {
	t.Helper()
	rows, err := db.Pool().Query(t.Context(), `SELECT state::text FROM river_job`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	states := map[string]int{}
	for rows.Next() {
		var state string
		err = rows.Scan(&state)
		if err != nil {
			t.Fatal(err)
		}
		states[state]++
	}
	err = rows.Err()
	if err != nil {
		t.Fatal(err)
	}
	return states
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A run that ran out of time is told of and rests like one that failed; one that a stop cut
// short is neither.
func TestDurable_cutShort(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	expired, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	stopped, stop := context.WithCancelCause(context.Background())
	stop(errors.New("stop"))
	tests := []struct {
		name  string
		ctx   context.Context
		rests bool
		says  string
	}{
		{"out of time", expired, true, "job_id=7"},
		{"stopped", stopped, false, ""},
	}
	for _, tt := range tests {
		log.Reset()
		err := Durable(tt.ctx, &rivertype.JobRow{ID: 7, Kind: "k"}, tt.ctx.Err())
		snooze, is := errors.AsType[*river.JobSnoozeError](err)
		if !is || (snooze.Duration >= retryAfter/2) != tt.rests {
			t.Errorf("%s: %v", tt.name, err)
		}
		if lines := strings.Count(log.String(), "\n"); (lines == 1) != (tt.says != "") || !strings.Contains(log.String(), tt.says) {
			t.Errorf("%s: log %q", tt.name, log.String())
		}
	}
}

type panicArgs struct{}

func (panicArgs) Kind() string { return "panic" }

type panicWorker struct {
	river.WorkerDefaults[panicArgs]
	ran chan struct{}
}

func (w *panicWorker) Work(context.Context, *river.Job[panicArgs]) error {
	defer close(w.ran)
	panic("CURP PEXA900115HDFRXN06")
}

// The value of a panic may hold anything; it is neither logged nor kept with the job, which tells
// where it was instead.
func TestClient_aPanicKeepsItsValue(t *testing.T) {
	db, _ := pgtest.Open(t, schema)
	var lines bytes.Buffer
	workers := NewWorkers()
	worker := &panicWorker{ran: make(chan struct{})}
	Add(workers, worker)
	client, err := NewClient(db, Config{Workers: workers, StopLimit: time.Hour, Log: slog.New(slog.NewJSONHandler(&lines, nil))})
	if err != nil {
		t.Fatal(err)
	}
	_, end := startClient(t, client)
	_, err = client.Insert(t.Context(), panicArgs{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	<-worker.ran
	end()
	var kept string
	err = db.Pool().QueryRow(t.Context(), `SELECT errors::text FROM river_job WHERE kind = 'panic'`).Scan(&kept)
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"the log": lines.String(), "the job": kept} {
		if strings.Contains(text, "PEXA900115HDFRXN06") || !strings.Contains(text, "jobs_test.go") {
			t.Errorf("%s has %s", where, text)
		}
	}
}
