package process

import "context"

// besideWaiting is how many things may wait for a [Beside].
const besideWaiting = 256

// Beside does something with each thing that it is told of, beside whoever tells, who never
// waits. It is for what may be missed: beyond a few that wait, more are dropped.
type Beside[T any] struct {
	waiting chan T
	do      func(ctx context.Context, thing T)
}

// NewBeside makes one; Run does its work.
func NewBeside[T any](do func(ctx context.Context, thing T)) *Beside[T] {
	return &Beside[T]{waiting: make(chan T, besideWaiting), do: do}
}

// Tell hands a thing over.
func (b *Beside[T]) Tell(thing T) {
	select {
	case b.waiting <- thing:
	default:
	}
}

// Run works until ctx ends.
func (b *Beside[T]) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case thing := <-b.waiting:
			b.do(ctx, thing)
		}
	}
}
