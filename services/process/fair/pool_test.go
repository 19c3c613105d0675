package fair_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/enlace-iis/enlace/services/process/fair"
)

func idle() bool { return true }
func busy() bool { return false }

// hold takes units at once or fails the test.
func hold(t *testing.T, pool *fair.Pool, owner string, units int64, idle func() bool) (h *fair.Hold, evicted <-chan struct{}) {
	t.Helper()
	gone := make(chan struct{})
	h = pool.Hold(owner, idle, func() { close(gone) })
	err := h.Grow(t.Context(), units)
	if err != nil {
		t.Fatalf("%s grows to %d: got %v", owner, units, err)
	}
	return h, gone
}

// wantFull holds that there is no room for so many units.
func wantFull(t *testing.T, pool *fair.Pool, owner string, units int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	h := pool.Hold(owner, idle, func() {})
	err := h.Grow(ctx, units)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%s grows to %d: got %v, want no room", owner, units, err)
	}
	h.Leave()
}

func TestPool_idleHoldersKeepNobodyOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fair.NewPool(10)
		small, _ := hold(t, pool, "a", 2, idle)
		large, evicted := hold(t, pool, "a", 4, idle)
		other, _ := hold(t, pool, "b", 4, busy)
		newcomer, _ := hold(t, pool, "c", 3, busy)
		<-evicted
		if !large.Lost() || small.Lost() || other.Lost() || newcomer.Lost() {
			t.Error("the hold that was lost is not the largest idle one of the owner with the most")
		}
		err := large.Grow(t.Context(), 5)
		if !errors.Is(err, fair.ErrLost) {
			t.Errorf("a lost hold grows: got %v, want %v", err, fair.ErrLost)
		}
		large.Leave() // takes nothing from anybody
		// 9 of 10 are in use, only a is idle, and it has no more than the newcomer would have.
		wantFull(t, pool, "d", 2)
		other.Leave()
		hold(t, pool, "d", 5, idle)
	})
}

func TestPool_waitsWhileNobodyIsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fair.NewPool(10)
		var stopped atomic.Bool
		first, _ := hold(t, pool, "a", 6, busy)
		_, evicted := hold(t, pool, "b", 4, stopped.Load)
		wantFull(t, pool, "c", 1)
		time.AfterFunc(time.Second, func() { stopped.Store(true) })
		started := time.Now()
		second, _ := hold(t, pool, "c", 1, busy)
		<-evicted
		if waited := time.Since(started); waited < time.Second || waited > 2*time.Second {
			t.Errorf("c waited %s for b to be idle, want a second", waited)
		}
		second.Leave()
		time.AfterFunc(time.Second, first.Leave)
		hold(t, pool, "c", 7, busy)
	})
}

func TestPool_growsWithoutTakingFromItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fair.NewPool(10)
		h, evicted := hold(t, pool, "a", 4, idle)
		other, _ := hold(t, pool, "a", 6, idle)
		wantFull(t, pool, "a", 1)
		other.Leave()
		for _, units := range []int64{2, 10, 20} {
			err := h.Grow(t.Context(), units)
			if err != nil {
				t.Errorf("alone, to %d: got %v", units, err)
			}
		}
		h.Leave()
		hold(t, pool, "b", 10, idle)
		select {
		case <-evicted:
			t.Error("a hold was lost to its own owner")
		default:
		}
	})
}

// However holds grow, are lost and leave, nothing of the room is lost.
func TestPool_keepsItsBounds(t *testing.T) {
	pool := fair.NewPool(10)
	var holders sync.WaitGroup
	for n := range 8 {
		holders.Go(func() {
			for range 500 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				h := pool.Hold(fmt.Sprint(n%3), func() bool { return rand.IntN(2) == 0 }, func() {})
				for units := range int64(5) {
					if h.Grow(ctx, units+1) != nil {
						break
					}
				}
				h.Leave()
				cancel()
			}
		})
	}
	holders.Wait()
	hold(t, pool, "a", 9, busy)
	hold(t, pool, "b", 1, busy)
}
