package process

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Cleanups undoes a start in reverse order: what was started last stops first. The zero
// value is ready; it is not safe for concurrent use.
type Cleanups struct {
	steps []cleanup
}

type cleanup struct {
	name string
	stop func(context.Context) error
}

// Push remembers how to stop a part that has just started.
func (c *Cleanups) Push(name string, stop func(context.Context) error) {
	c.steps = append(c.steps, cleanup{name: name, stop: stop})
}

// Run stops every part, newest first, all within limit. A part that fails or runs out of
// time does not keep the others from being stopped. It can be called again; the second
// call does nothing.
func (c *Cleanups) Run(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()

	var problems []error
	for i := len(c.steps) - 1; i >= 0; i-- {
		step := c.steps[i]
		err := step.stop(ctx)
		if err != nil {
			problems = append(problems, fmt.Errorf("stop %s: %w", step.name, err))
		}
	}
	c.steps = nil
	return errors.Join(problems...)
}

// Background runs work beside the rest. Its context ends with ctx, and at the latest when
// its turn to stop has come; then it is waited for.
func (c *Cleanups) Background(ctx context.Context, name string, work func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		work(ctx)
	}()
	c.Push(name, func(ctx context.Context) error {
		cancel()
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// FirstOf keeps the error that ended a program over one that came while it stopped.
func FirstOf(err, stopping error) error {
	if err != nil {
		return err
	}
	return stopping
}
