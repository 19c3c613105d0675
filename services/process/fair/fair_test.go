package fair_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/enlace-iis/enlace/services/process/fair"
)

func TestGate_TakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := fair.New(fair.Config{Capacity: 1})
		leave := enter(t, gate, "a", 1)
		var mu sync.Mutex
		var order []string
		wait := func(owner string) {
			go func() {
				leave := enter(t, gate, owner, 1)
				mu.Lock()
				order = append(order, owner)
				mu.Unlock()
				leave()
			}()
			synctest.Wait()
		}
		for range 3 {
			wait("a")
		}
		wait("b")
		leave()
		synctest.Wait()
		if got := fmt.Sprint(order); got != "[a b a a]" {
			t.Errorf("they went in as %s; b's one request waits behind one of a's", got)
		}
	})
}

func TestGate_Refuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := fair.New(fair.Config{Capacity: 2, Share: 2, Queue: 1})
		leave := enter(t, gate, "a", 2)
		_, err := gate.Enter(t.Context(), "a", 1)
		if !errors.Is(err, fair.ErrShare) {
			t.Errorf("over the share: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		waited := make(chan error)
		go func() {
			_, err := gate.Enter(ctx, "b", 1)
			waited <- err
		}()
		synctest.Wait()
		_, err = gate.Enter(t.Context(), "c", 1)
		if !errors.Is(err, fair.ErrFull) {
			t.Errorf("with one waiting already: %v", err)
		}
		cancel()
		err = <-waited
		if !errors.Is(err, context.Canceled) {
			t.Errorf("given up: %v", err)
		}
		leave()
		leave() // a second time takes nothing from anybody
		enter(t, gate, "c", 2)()
	})
}

// What one owner asks for beyond its most waits, and holds up nobody else.
func TestGate_anOwnerNeverHasAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := fair.New(fair.Config{Capacity: 4, Most: 3})
		leave := enter(t, gate, "a", 1)
		large := enter(t, gate, "a", 2)
		waited := make(chan struct{})
		go func() {
			enter(t, gate, "a", 1)()
			close(waited)
		}()
		synctest.Wait()
		other := enter(t, gate, "b", 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := gate.Enter(ctx, "c", 1)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with nothing left: got %v", err)
		}
		select {
		case <-waited:
			t.Error("an owner had more than its most")
		default:
		}
		leave()
		<-waited
		large()
		other()
		enter(t, gate, "a", 4)() // as its only one
	})
}

// A newcomer from elsewhere takes the place of the last of a crowd, whoever the crowd says
// that it is.
func TestGate_aCrowdDoesNotFillTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := fair.New(fair.Config{Capacity: 1, Queue: 3})
		leave := enter(t, gate, "a", 1)
		results := make(chan string, 10)
		wait := func(origin, owner string) {
			go func() {
				leave, err := gate.EnterFrom(t.Context(), origin, owner, 1)
				if err != nil {
					results <- origin + owner + " " + err.Error()
					return
				}
				results <- origin + owner
				leave()
			}()
			synctest.Wait()
		}
		for _, owner := range []string{"1", "2", "3", "4"} {
			wait("crowd ", owner)
		}
		wait("other ", "3")
		wait("third ", "5")
		wait("other ", "6")
		leave()
		synctest.Wait()
		close(results)
		var got []string
		for each := range results {
			got = append(got, each)
		}
		full := " " + fair.ErrFull.Error()
		want := []string{"crowd 4" + full, "crowd 3" + full, "crowd 2" + full, "other 6" + full, "crowd 1", "other 3", "third 5"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		enter(t, gate, "3", 1)()
	})
}

func TestGate_AdmitsWhatIsLargerThanItAll(t *testing.T) {
	gate := fair.New(fair.Config{Capacity: 1})
	enter(t, gate, "a", 5)()
}

// However many come, leave and give up, no more is out than may be, and nothing is lost.
func TestGate_KeepsItsBounds(t *testing.T) {
	const capacity, share = 10, 6
	gate := fair.New(fair.Config{Capacity: capacity, Share: share, Most: share})
	var out atomic.Int64
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 2000 {
				units := 1 + rand.Int64N(share)
				ctx, cancel := context.WithCancel(t.Context())
				if rand.IntN(4) == 0 {
					go cancel()
				}
				leave, err := gate.Enter(ctx, string(rune('a'+rand.IntN(3))), units)
				if err == nil {
					if out.Add(units) > capacity {
						t.Error("more is out than the capacity")
					}
					out.Add(-units)
					leave()
				}
				cancel()
			}
		})
	}
	callers.Wait()
	enter(t, gate, "z", share)()
	leaveA, leaveB := enter(t, gate, "a", share), enter(t, gate, "b", capacity-share)
	leaveA()
	leaveB()
}

func enter(t *testing.T, gate *fair.Gate, owner string, units int64) func() {
	t.Helper()
	leave, err := gate.Enter(t.Context(), owner, units)
	if err != nil {
		t.Fatalf("enter: %v", err)
	}
	return leave
}
