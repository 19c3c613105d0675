package pg_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const empresa = tenant.EmpresaID("LAB010101001")

// What the questions of these tests are; all others are doubled.
const (
	waits  = 0
	fails  = -1
	panics = -2
)

// doubling answers questions on a database; one that waits holds its transaction until it may go on.
type doubling struct {
	*pg.Together[int, int]
	transactions atomic.Int32
	goOn         chan struct{}
}

func newDoubling(t *testing.T) *doubling {
	t.Helper()
	db, _ := pgtest.Open(t, empty)
	d := &doubling{goOn: make(chan struct{})}
	d.Together = pg.NewTogether(db, func(_ context.Context, _ pgx.Tx, _ tenant.EmpresaID, asked []int) ([]int, error) {
		d.transactions.Add(1)
		answers := make([]int, len(asked))
		for n, each := range asked {
			switch each {
			case waits:
				<-d.goOn
			case fails:
				return nil, errors.New("this one fails")
			case panics:
				panic("this one panics")
			}
			answers[n] = 2 * each
		}
		return answers, nil
	})
	return d
}

// hold begins a transaction that others have to wait for; whoever is asked for meanwhile waits
// when it returns.
func (d *doubling) hold(t *testing.T, asking *sync.WaitGroup) {
	t.Helper()
	asking.Go(func() {
		_, err := d.Ask(t.Context(), empresa, waits)
		if err != nil {
			t.Error(err)
		}
	})
	for d.transactions.Load() == 0 {
		runtime.Gosched()
	}
}

func (d *doubling) awaitWaiting(n int) {
	for d.Waiting(empresa) < n {
		runtime.Gosched()
	}
}

func TestTogether_whoComesMeanwhileSharesTheNext(t *testing.T) {
	d := newDoubling(t)
	var asking sync.WaitGroup
	d.hold(t, &asking)
	for n := range 20 {
		asking.Go(func() {
			got, err := d.Ask(t.Context(), empresa, n+1)
			if err != nil || got != 2*(n+1) {
				t.Errorf("%d is answered %d, %v", n+1, got, err)
			}
		})
	}
	d.awaitWaiting(20)
	other, err := d.Ask(t.Context(), "LAB010101002", 7)
	if err != nil || other != 14 {
		t.Errorf("another Empresa waits: %d, %v", other, err)
	}
	close(d.goOn)
	asking.Wait()
	if n := d.transactions.Load(); n != 3 {
		t.Errorf("%d transactions, want one for the first, one for the other Empresa and one for all that waited", n)
	}
}

func TestTogether_noneFailsForAnothersSake(t *testing.T) {
	d := newDoubling(t)
	var asking sync.WaitGroup
	d.hold(t, &asking)
	for _, asked := range []int{1, fails, 2, panics, 3} {
		asking.Go(func() {
			defer func() {
				recovered := recover()
				passed, _ := recovered.(*errs.Panic)
				if (recovered != nil) != (asked == panics) || passed != nil && !strings.Contains(passed.Stack, "together_test.go") {
					t.Errorf("%d: panic %v", asked, recovered)
				}
			}()
			got, err := d.Ask(t.Context(), empresa, asked)
			if (err != nil) != (asked == fails) || err == nil && got != 2*asked {
				t.Errorf("%d is answered %d, %v", asked, got, err)
			}
		})
	}
	d.awaitWaiting(5)
	close(d.goOn)
	asking.Wait()
}

func TestTogether_mayBeLeft(t *testing.T) {
	d := newDoubling(t)
	var asking sync.WaitGroup
	d.hold(t, &asking)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	_, err := d.Ask(ctx, empresa, 1)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("left with %v", err)
	}
	close(d.goOn)
	asking.Wait()
}

func TestReading_isBegunAfterWhoeverItAnswersCame(t *testing.T) {
	var reads atomic.Int32
	goOn := make(chan struct{})
	reading := pg.NewReading(func(context.Context, tenant.EmpresaID) (int32, error) {
		nth := reads.Add(1)
		<-goOn
		return nth, nil
	})
	var asking sync.WaitGroup
	wantAnswer := func(want int32) {
		asking.Go(func() {
			got, err := reading.Ask(t.Context(), empresa, struct{}{})
			if err != nil || got != want {
				t.Errorf("answered by read %d, %v, want %d", got, err, want)
			}
		})
	}
	wantAnswer(1)
	for reads.Load() == 0 {
		runtime.Gosched()
	}
	for range 20 {
		wantAnswer(2)
	}
	for reading.Waiting(empresa) < 20 {
		runtime.Gosched()
	}
	close(goOn)
	asking.Wait()
}

// What fails for all is not asked again for each.
func TestReading_failsForAllAtOnce(t *testing.T) {
	var reads atomic.Int32
	goOn, failed := make(chan struct{}), errors.New("no such row")
	reading := pg.NewReading(func(context.Context, tenant.EmpresaID) (int32, error) {
		reads.Add(1)
		<-goOn
		return 0, failed
	})
	var asking sync.WaitGroup
	ask := func() {
		_, err := reading.Ask(t.Context(), empresa, struct{}{})
		if !errors.Is(err, failed) {
			t.Errorf("%v", err)
		}
	}
	asking.Go(ask)
	for reads.Load() == 0 {
		runtime.Gosched()
	}
	for range 20 {
		asking.Go(ask)
	}
	for reading.Waiting(empresa) < 20 {
		runtime.Gosched()
	}
	close(goOn)
	asking.Wait()
	if got := reads.Load(); got != 2 {
		t.Errorf("%d reads for two groups", got)
	}
}
