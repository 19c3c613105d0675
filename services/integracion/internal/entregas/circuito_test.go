package entregas

import (
	"container/heap"
	"maps"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	empresaA tenant.EmpresaID = "LAB010101AB1"
	empresaB tenant.EmpresaID = "LAB020202CD2"
)

// failSends makes n sends that fail, each of which must be let through.
func failSends(t *testing.T, c Circuito, n int) {
	t.Helper()
	for range n {
		mustAcquire(t, c, empresaA).Failed(0)
	}
}

func mustAcquire(t *testing.T, c Circuito, empresa tenant.EmpresaID) Permiso {
	t.Helper()
	p, wait := c.Acquire(empresa)
	if p == nil {
		t.Fatalf("no permit for %s; told to wait %v", empresa, wait)
	}
	return p
}

func mustWait(t *testing.T, c Circuito) time.Duration {
	t.Helper()
	p, wait := c.Acquire(empresaA)
	if p != nil || wait <= 0 {
		t.Fatalf("got a permit, or no time to wait (%v)", wait)
	}
	return wait
}

func TestCircuito_opensAfterFailuresInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewMemoryCircuito()
		failSends(t, c, openAfter-1)
		mustAcquire(t, c, empresaA).Succeeded()
		failSends(t, c, openAfter)

		mustWait(t, c)
		mustAcquire(t, c, empresaB).Succeeded()
	})
}

func TestCircuito_counts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewMemoryCircuito()
		wantCounts(t, c, map[EstadoCircuito]int{CircuitoCerrado: 0, CircuitoAbierto: 0, CircuitoEnRecuperacion: 0})
		mustAcquire(t, c, empresaB).Succeeded()
		failSends(t, c, openAfter)
		wantCounts(t, c, map[EstadoCircuito]int{CircuitoCerrado: 1, CircuitoAbierto: 1, CircuitoEnRecuperacion: 0})
		time.Sleep(longestProbe)
		wantCounts(t, c, map[EstadoCircuito]int{CircuitoCerrado: 1, CircuitoAbierto: 0, CircuitoEnRecuperacion: 1})
		for limit := 1; limit < fullRecovery; limit *= 2 {
			mustAcquire(t, c, empresaA).Succeeded()
		}
		wantCounts(t, c, map[EstadoCircuito]int{CircuitoCerrado: 2, CircuitoAbierto: 0, CircuitoEnRecuperacion: 0})
	})
}

func wantCounts(t *testing.T, c *MemoryCircuito, want map[EstadoCircuito]int) {
	t.Helper()
	if got := c.Count(); !maps.Equal(got, want) {
		t.Errorf("circuits by state %v, want %v", got, want)
	}
}

func TestCircuito_oneProbeThenGradually(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewMemoryCircuito()
		failSends(t, c, openAfter)
		time.Sleep(mustWait(t, c))

		probe := mustAcquire(t, c, empresaA)
		mustWait(t, c)
		probe.Succeeded()

		for allowed := 2; allowed < fullRecovery; allowed *= 2 {
			permits := make([]Permiso, allowed)
			for i := range permits {
				permits[i] = mustAcquire(t, c, empresaA)
			}
			mustWait(t, c)
			permits[0].Succeeded()
			for _, p := range permits[1:] {
				p.Unused()
			}
		}
		for range 10 * fullRecovery {
			mustAcquire(t, c, empresaA)
		}
	})
}

func TestCircuito_probesAsLongAsTheOutageLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewMemoryCircuito()
		failSends(t, c, openAfter-1)
		turn := mustAcquire(t, c, empresaA).Failed(0)
		probes := 0
		for started := time.Now(); time.Since(started) < 24*time.Hour; probes++ {
			if turn <= 0 || turn > 10*time.Second { // contract.md, section 8
				t.Fatalf("told to try again after %v, want at most 10 s", turn)
			}
			time.Sleep(turn)
			turn = mustAcquire(t, c, empresaA).Failed(0)
		}
		if most := int(24 * time.Hour / (longestProbe * 3 / 4)); probes > most {
			t.Errorf("%d probes in a day, want at most %d", probes, most)
		}
	})
}

// However many wait, a probe comes soon after each pause, and the others come seldom.
func TestCircuito_whoseProbeFailedComesBackForTheNext(t *testing.T) {
	for _, waiting := range []int{1, 2, 100, 10_000} {
		t.Run(strconv.Itoa(waiting), func(t *testing.T) {
			start := time.Now()
			c := circuit{failures: openAfter - 1, inFlight: 1}
			back := turns{start.Add(c.failed(start, 0))}
			for range waiting - 1 {
				heap.Push(&back, start.Add(c.acquire(start)))
			}
			returns := 0
			for now := start; now.Sub(start) < 10*time.Minute; returns++ {
				now = heap.Pop(&back).(time.Time)
				if late := now.Sub(c.pausedUntil); late > 0 {
					t.Fatalf("the probe came %v after the pause was over", late)
				}
				wait := c.acquire(now)
				if wait == 0 {
					wait = c.failed(now, 0)
				}
				heap.Push(&back, now.Add(wait))
			}
			if most := 15*waiting + 100; returns > most {
				t.Errorf("%d returns in ten minutes, want at most %d", returns, most)
			}
		})
	}
}

// turns are when those who were turned away come back.
type turns []time.Time

func (t turns) Len() int           { return len(t) }
func (t turns) Less(i, j int) bool { return t[i].Before(t[j]) }
func (t turns) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *turns) Push(x any)        { *t = append(*t, x.(time.Time)) }
func (t *turns) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

func TestCircuito_obeysRetryAfter(t *testing.T) {
	tests := []struct {
		name        string
		asked, want time.Duration
	}{
		{"short", 2 * time.Second, 2 * time.Second},
		{"longer than any pause of ours", 20 * time.Minute, 20 * time.Minute},
		{"at most an hour", 24 * time.Hour, time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := NewMemoryCircuito()
				mustAcquire(t, c, empresaA).Failed(tt.asked)
				time.Sleep(tt.want - time.Millisecond)
				mustWait(t, c)
				time.Sleep(time.Millisecond)
				mustAcquire(t, c, empresaA).Succeeded()
			})
		})
	}
}

func TestCircuito_sendsFromBeforeItOpenedDoNotProlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewMemoryCircuito()
		var early []Permiso
		for range 50 {
			early = append(early, mustAcquire(t, c, empresaA))
		}
		for _, p := range early {
			p.Failed(0)
		}
		if wait := mustWait(t, c); wait > 3*time.Second {
			t.Errorf("wait = %v, want that of a first opening", wait)
		}
	})
}

func TestCircuito_unusedPermitGivesTheProbeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewMemoryCircuito()
		failSends(t, c, openAfter)
		time.Sleep(mustWait(t, c))
		mustAcquire(t, c, empresaA).Unused()
		mustAcquire(t, c, empresaA).Succeeded()
	})
}

func TestDesenlace_pauseAfter(t *testing.T) {
	tests := []struct {
		name      string
		asked     time.Duration
		attempt   int
		low, high time.Duration
	}{
		{"first", 0, 1, 800 * time.Millisecond, 1200 * time.Millisecond},
		{"third", 0, 3, 3200 * time.Millisecond, 4800 * time.Millisecond},
		{"ninth", 0, 9, 204 * time.Second, 5 * time.Minute},
		{"ten thousandth", 0, 10_000, 4 * time.Minute, 5 * time.Minute},
		{"asked for less than a pause", 2 * time.Second, 8, 2 * time.Second, 2 * time.Second},
		{"asked for more than any pause", 30 * time.Minute, 1, 30 * time.Minute, 30 * time.Minute},
		{"asked for a day", 24 * time.Hour, 1, time.Hour, time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := Desenlace{Resultado: envio.MasTarde, RetryAfter: tt.asked}
			for range 200 {
				pause := d.pauseAfter(tt.attempt)
				if pause < tt.low || pause > tt.high {
					t.Fatalf("pause = %v, want %v to %v", pause, tt.low, tt.high)
				}
			}
		})
	}
}

func TestCircuito_failuresWhileRecovering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recovered := 0
		c := NewMemoryCircuito()
		c.Recovered = func(tenant.EmpresaID) { recovered++ }
		failSends(t, c, openAfter)
		time.Sleep(mustWait(t, c))
		mustAcquire(t, c, empresaA).Succeeded()

		// One failure among successes slows the recovery down, and no more.
		for range 100 {
			mustAcquire(t, c, empresaA).Failed(0)
			mustAcquire(t, c, empresaA).Succeeded()
		}
		if recovered != 1 {
			t.Errorf("found the platform back %d times", recovered)
		}
		// What was counted before the platform came back does not count any more.
		failSends(t, c, openAfter)
		if wait := mustWait(t, c); wait > 3*time.Second {
			t.Errorf("wait = %v, want that of a first opening", wait)
		}
	})
}

// The probe that finds the platform back says so, once, for its institution alone.
func TestMemoryCircuito_tellsOfARecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var recovered []tenant.EmpresaID
		m := NewMemoryCircuito()
		m.Recovered = func(e tenant.EmpresaID) { recovered = append(recovered, e) }
		send := func(e tenant.EmpresaID, fails bool) {
			permit, wait := m.Acquire(e)
			for permit == nil {
				time.Sleep(wait)
				permit, wait = m.Acquire(e)
			}
			if fails {
				permit.Failed(0)
				return
			}
			permit.Succeeded()
		}
		send("A", false)
		for range openAfter + 2 {
			send("A", true)
		}
		send("B", false)
		if len(recovered) != 0 {
			t.Errorf("recovered without an outage or during it: %v", recovered)
		}
		send("A", false)
		send("A", false)
		if !slices.Equal(recovered, []tenant.EmpresaID{"A"}) {
			t.Errorf("recovered = %v, want A once", recovered)
		}
	})
}

func TestCircuito_spreadsTheReturnAsLongAsTheOutage(t *testing.T) {
	tests := []struct {
		name    string
		outage  time.Duration
		within  time.Duration // all are back so long after the pause
		halfway time.Duration // and some not before this
	}{
		{"a moment", time.Millisecond, time.Second, 0},
		{"half a minute", 30 * time.Second, 30 * time.Second, 15 * time.Second},
		{"a week", 7 * 24 * time.Hour, longestSpread, 2 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			now := time.Now()
			c := circuit{limit: 1, openedAt: now.Add(-tt.outage), pausedUntil: now.Add(time.Minute)}
			var last time.Duration
			for range 1_000 {
				last = max(last, c.acquire(now)-time.Minute)
			}
			if last > tt.within || last < tt.halfway {
				t.Errorf("the last is back %v after the pause, want %v to %v", last, tt.halfway, tt.within)
			}
		})
	}
}
