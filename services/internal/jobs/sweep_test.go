package jobs

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/riverqueue/river"

	"github.com/enlace-iis/enlace/services/internal/pgtest"
)

// walk is a sweep over the numbers up to last, each of which takes a while.
type walk struct {
	last  int
	takes time.Duration
	keys  []int // that batches began at
	saved int
}

func (w *walk) batch(_ context.Context, from int) (int, bool, error) {
	w.keys = append(w.keys, from)
	time.Sleep(w.takes) // on the clock of the test
	return from + 1, from+1 == w.last, nil
}

func (w *walk) save(key int) error {
	w.saved = key
	return nil
}

func TestSweep_worksATenthOfTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &walk{last: 5, takes: 50 * time.Millisecond}
		started := time.Now()
		err := sweep(t.Context(), 0, w.batch, w.save)
		if err != nil || !slices.Equal(w.keys, []int{0, 1, 2, 3, 4}) {
			t.Fatalf("batches from %v, %v", w.keys, err)
		}
		// Four pauses: the last batch needs none.
		if took := time.Since(started); took != 5*w.takes+4*9*w.takes {
			t.Errorf("five batches of %v took %v", w.takes, took)
		}
	})
}

func TestSweep_endsItsRunInTimeAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &walk{last: 100, takes: 200 * time.Millisecond}
		from, runs := 0, 0
		for ; ; runs++ {
			started := time.Now()
			err := sweep(t.Context(), from, w.batch, w.save)
			if err == nil {
				break
			}
			snooze, is := errors.AsType[*river.JobSnoozeError](err)
			if !is || snooze.Duration != 9*w.takes {
				t.Fatalf("run %d ended with %v", runs, err)
			}
			if took := time.Since(started); took > sweepRun {
				t.Fatalf("run %d took %v", runs, took)
			}
			from = w.saved
		}
		for i, key := range w.keys {
			if key != i {
				t.Fatalf("batch %d began at %d", i, key)
			}
		}
		if len(w.keys) != 100 || runs == 0 {
			t.Errorf("%d batches in %d runs", len(w.keys), runs+1)
		}
	})
}

func TestSweep_aStopEndsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		started := time.Now()
		w := &walk{last: 5, takes: 200 * time.Millisecond}
		err := sweep(ctx, 0, w.batch, w.save)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(started) != time.Second || w.saved != 1 {
			t.Errorf("after %v: %v, saved %d", time.Since(started), err, w.saved)
		}
	})
}

type numbersArgs struct{}

func (numbersArgs) Kind() string { return "sweep" }

// numbersWorker sweeps three numbers. It tells where each batch began; the last one lasts until
// it is cut short or may end.
type numbersWorker struct {
	river.WorkerDefaults[numbersArgs]
	began chan int
	goOn  chan struct{}
}

func (w *numbersWorker) Work(ctx context.Context, job *river.Job[numbersArgs]) error {
	return Sweep(ctx, job.JobRow, func(ctx context.Context, from int) (int, bool, error) {
		w.began <- from
		if from < 2 {
			return from + 1, false, nil
		}
		select {
		case <-w.goOn:
			return from, true, nil
		case <-ctx.Done():
			return from, false, ctx.Err()
		}
	})
}

// What a stop cuts goes on elsewhere, from where it was.
func TestSweep_resumesWhereItStopped(t *testing.T) {
	db, _ := pgtest.Open(t, schema)
	start := func() (*numbersWorker, func()) {
		w := &numbersWorker{began: make(chan int, 10), goOn: make(chan struct{})}
		workers := NewWorkers()
		Add(workers, w)
		client, err := NewClient(db, Config{Workers: workers, StopLimit: 200 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		_, end := startClient(t, client)
		return w, end
	}
	first, stopFirst := start()
	client, err := NewClient(db, Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Insert(t.Context(), numbersArgs{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for want := range 3 {
		if got := awaitKey(t, first); got != want {
			t.Fatalf("a batch began at %d, want %d", got, want)
		}
	}
	stopFirst()
	second, stopSecond := start()
	defer stopSecond()
	if got := awaitKey(t, second); got != 2 {
		t.Errorf("the next run began at %d, want 2", got)
	}
	close(second.goOn)
}

func awaitKey(t *testing.T, w *numbersWorker) int {
	t.Helper()
	select {
	case key := <-w.began:
		return key
	case <-time.After(limit):
		t.Fatal("no batch began in time")
		return 0
	}
}

type ticker struct{ ticks chan struct{} }

func (t *ticker) tick(ctx context.Context, from struct{}) (struct{}, bool, error) {
	select {
	case t.ticks <- struct{}{}:
	case <-ctx.Done():
	}
	return from, true, nil
}

// A periodic job that outlasts its interval is there once.
func TestWorkers_Periodically_aLongJobIsNotBegunAgain(t *testing.T) {
	db, _ := pgtest.Open(t, schema)
	r := &replica{began: make(chan struct{}, 1000), goOn: make(chan struct{})}
	ticks := &ticker{ticks: make(chan struct{})}
	workers := NewWorkers()
	Add(workers, &waitWorker{replica: r})
	const interval = 50 * time.Millisecond
	workers.Periodically(every(interval, waitArgs{}))
	AddSweep(workers, "tick", interval, ticks.tick)
	client, err := NewClient(db, Config{
		Workers: workers, StopLimit: time.Second, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Client = client
	r.stop, r.end = startClient(t, client)
	defer r.end()
	awaitJob(t, r)
	for range 4 {
		select {
		case <-ticks.ticks:
		case <-time.After(limit):
			t.Fatal("the other job was not begun again")
		}
	}
	if states := countStates(t, db); states["completed"] < 3 {
		t.Errorf("jobs by state: %v", states)
	}
	var waiting int
	err = db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM river_job WHERE kind = 'wait'`).Scan(&waiting)
	if err != nil || waiting != 1 {
		t.Errorf("%d long jobs, %v, want 1", waiting, err)
	}
	close(r.goOn)
}
