package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

const (
	// sweepShare is how much of the time a sweep works, as one part in so many; it rests for
	// the others. One batch keeps at most one core busy.
	sweepShare = 10
	// sweepRun bounds one run of a sweep. It is well within [Timeout], so that a batch that
	// takes long still ends, and a stop waits for little.
	sweepRun = Timeout / 2
)

// PurgeEvery is how often data is looked for whose time is over.
const PurgeEvery = 6 * time.Hour

// A Batch is a part of a sweep. It is given the key that the one before ended at, at first the
// zero key; it does what is due behind that key and tells the key that it came to and whether
// that was the last. It must bound what it reads, not only what it finds, and be harmless to
// repeat.
type Batch[K any] func(ctx context.Context, from K) (next K, last bool, err error)

// Sweep goes over much data within one job, without anybody noticing: a batch at a time,
// after each of which it rests so long that it works a tenth of the time.
//
// The key is kept with the job: the next run goes on where this one stopped, be it for its
// time, a failure or a stop. A killed process repeats its last run. An error is retried
// without end (see [Durable]), so the caller returns what Sweep gives back.
func Sweep[K any](ctx context.Context, job *rivertype.JobRow, batch Batch[K]) error {
	var err error
	river.ResumableStepCursor(ctx, "sweep", nil, func(ctx context.Context, from K) error {
		err = sweep(ctx, from, batch, func(key K) error { return river.ResumableSetCursor(ctx, key) })
		return err
	})
	return Durable(ctx, job, err)
}

// sweep is one run: it ends with the last batch, or with a snooze.
func sweep[K any](ctx context.Context, from K, batch Batch[K], save func(K) error) error {
	end := time.Now().Add(sweepRun)
	for {
		started := time.Now()
		next, last, err := batch(ctx, from)
		if err != nil || last {
			return err
		}
		from = next
		err = save(from)
		if err != nil {
			return fmt.Errorf("note how far the sweep came: %w", err)
		}
		pause := time.Since(started) * (sweepShare - 1)
		if time.Now().Add(pause).After(end) {
			return river.JobSnooze(pause)
		}
		err = rest(ctx, pause)
		if err != nil {
			return err
		}
	}
}

// rest pauses, unless ctx ends.
func rest(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
