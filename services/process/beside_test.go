package process

import (
	"context"
	"testing"
)

func TestBeside_neverHoldsWhoTells(t *testing.T) {
	done := make(chan string)
	beside := NewBeside(func(_ context.Context, thing string) { done <- thing })
	// More than can wait, and nobody works yet.
	for range 2 * besideWaiting {
		beside.Tell("K")
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		beside.Run(ctx)
	}()
	for range besideWaiting {
		if thing := <-done; thing != "K" {
			t.Fatalf("did %q", thing)
		}
	}
	cancel()
	<-ended
}
