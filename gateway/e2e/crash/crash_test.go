//go:build linux && crash

package crash

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

var (
	rounds = flag.Int("rounds", 3, "how many rounds there are")
	seed   = flag.Uint64("seed", 0, "the seed of the first round, the next one's is one more; 0: any")
)

const (
	// settleLimit is how long after a round all that follows from it may take: a killed
	// worker's job is taken up after 18 s, and may be killed again, on a machine that is busy.
	settleLimit = 5 * time.Minute
	// unsettled bounds the rounds that are looked after at once, unfinished those that still ask.
	unsettled, unfinished = 40, 3
	lookEvery             = 500 * time.Millisecond
	// roundsTogether are those of the same institutions.
	roundsTogether = 10
)

// run is the rounds under way.
type run struct {
	*rig
	t        *testing.T
	saboteur *saboteur
	summary  *Summary
	done     []*round
}

// round is one of them with what it asked.
type round struct {
	*Plan
	empresas map[string]*Institucion
	versions []Version
	ciclos   map[clave][]Ciclo
	errors   []error
	took     time.Duration
	// verdict is the last one.
	verdict Verdict
}

func TestCrash(t *testing.T) {
	r := &run{rig: start(t), t: t, summary: &Summary{}}
	r.saboteur = newSaboteur(r.rig)
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano()) / uint64(time.Millisecond)
	}
	t.Logf("seed %d; databases' clocks jump: %t", first, *faketime != "")
	r.all(first)
	r.final()
	r.summary.Kills(r.saboteur.counts)
	r.summary.Requests, r.summary.Acknowledged = r.client.Requests.Load(), r.client.Acknowledged.Load()
	r.summary.Statuses = r.client.Statuses()
	t.Logf("figures:\n%s", r.summary)
}

// all begins the rounds one after the other, each when the load of the one before has mostly
// been sent, and looks after what follows from them beside. Institutions change now and then,
// so that their lists stay short.
func (r *run) all(first uint64) {
	stages, places := make(chan struct{}, unfinished), make(chan struct{}, unsettled)
	var playing, settling sync.WaitGroup
	var empresas map[string]*Institucion
	for n := range *rounds {
		if n%roundsTogether == 0 {
			playing.Wait()
			r.sweep()
			empresas = r.meet(r.t)
		}
		one := r.plan(n, first+uint64(n), empresas)
		r.done = append(r.done, one)
		stages <- struct{}{}
		places <- struct{}{}
		next := time.After(roundTime)
		playing.Go(func() {
			r.play(one)
			<-stages
			settling.Go(func() {
				r.settle(one)
				<-places
			})
		})
		<-next
	}
	playing.Wait()
	r.sweep()
	settling.Wait()
}

// sweep has the services of a cluster look for what lost its job, as they do when they start: there a job
// lies on the coordinator and its rows on a worker, and a kill may come between the two commits.
func (r *run) sweep() {
	if !harness.OnCluster() {
		return
	}
	for _, service := range []string{stack.Registros, stack.Registros + "-2", stack.Integracion, stack.Integracion + "-2"} {
		must(r.t, r.system.Restart(r.t.Context(), service))
	}
}

func (r *run) plan(number int, seed uint64, empresas map[string]*Institucion) *round {
	day, err := time.Parse(time.DateOnly, harness.Day(0))
	must(r.t, err)
	ids := slices.Sorted(maps.Keys(empresas))
	return &round{Plan: NewPlan(number, seed, ids, r.targets(), day), empresas: empresas}
}

// play does what the plan says, to its end.
func (r *run) play(one *round) {
	ctx, over := context.WithCancel(r.t.Context())
	var faults, load sync.WaitGroup
	var mu sync.Mutex
	note := func(err error) {
		if err != nil {
			mu.Lock()
			defer mu.Unlock()
			one.errors = append(one.errors, err)
		}
	}
	began := time.Now()
	for _, f := range one.Faults {
		faults.Go(func() {
			<-time.After(time.Until(began.Add(f.After)))
			note(r.saboteur.do(ctx, f))
		})
	}
	for _, chain := range one.Chains {
		load.Go(func() { note(one.take(ctx, began, chain)) })
	}
	for _, i := range one.empresas {
		load.Go(func() { note(i.finish(ctx, began.Add(one.Carga))) })
		load.Go(func() { note(r.keys(ctx, i)) })
		load.Go(func() { note(r.poll(ctx, i)) })
	}
	load.Wait()
	over()
	faults.Wait()
	one.took = time.Since(began)
	one.collect()
}

// take does the steps of a chain, each when it is due.
func (one *round) take(ctx context.Context, began time.Time, chain []Step) error {
	for _, step := range chain {
		<-time.After(time.Until(began.Add(step.After)))
		err := one.empresas[step.Empresa].take(ctx, step)
		if err != nil {
			return err
		}
	}
	return nil
}

// collect takes the plan's records and reports as they came out.
func (one *round) collect() {
	one.ciclos = map[clave][]Ciclo{}
	for _, chain := range one.Chains {
		for _, step := range chain {
			for _, v := range step.Versions {
				one.versions = append(one.versions, *v)
			}
			if step.Do == doActivate && step.Ciclo.Activated.Sent != Never {
				key := clave{step.Empresa, step.Ciclo.ReporteID}
				one.ciclos[key] = append(one.ciclos[key], *step.Ciclo)
			}
		}
	}
}

// judge holds the ledger against everything that a round asked.
func (r *run) judge(one *round) Verdict {
	var sum Verdict
	disturbances := r.ledger.Disturbances()
	for key, ciclos := range one.ciclos {
		for n, part := range Split(ciclos, r.ledger.Llegadas(key.empresa, key.reporteID)) {
			ciclos[n].Carga = one.empresas[key.empresa].Carga()
			v := Judge(ciclos[n], about(one.versions, ciclos[n]), part, disturbances)
			sum.Expected += v.Expected
			sum.Told += v.Told
			sum.Lost = append(sum.Lost, v.Lost...)
			sum.Wrong = append(sum.Wrong, v.Wrong...)
			sum.Twice = append(sum.Twice, v.Twice...)
		}
	}
	return sum
}

// about chooses the records that a Ciclo asks for.
func about(versions []Version, c Ciclo) []Version {
	return slices.DeleteFunc(slices.Clone(versions), func(v Version) bool {
		return v.Empresa != c.Empresa || v.Curp != c.Curp || v.Written.Sent == Never
	})
}

// settle looks at a round until all of it has been told and the lists say so too.
func (r *run) settle(one *round) {
	ctx, cancel := context.WithTimeout(r.t.Context(), settleLimit)
	defer cancel()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	began := time.Now()
	var missing []string
	for {
		verdict := r.judge(one)
		looked := verdict.Lost
		if len(looked) == 0 && len(verdict.Wrong) == 0 {
			looked = r.listed(ctx, one)
		}
		if len(looked) == 0 || len(verdict.Wrong) > 0 {
			break
		}
		if ctx.Err() != nil {
			one.errors = append(one.errors, fmt.Errorf("not settled after %v: %w", settleLimit, lost(missing)))
			return
		}
		missing = looked
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
	err := one.kept(ctx)
	if err != nil {
		one.errors = append(one.errors, err)
	}
	r.t.Logf("round %d (seed %d): %d faults, played in %v and settled after %v", one.Number, one.Seed, len(one.Faults),
		one.took.Round(time.Second), time.Since(began).Round(time.Second))
}

// final judges every round once more, when nothing moves any more: what was told again, or
// of a report that nobody activated, is seen at the latest now.
func (r *run) final() {
	known := map[clave]bool{}
	for _, one := range r.done {
		one.verdict = r.judge(one)
		for key := range one.ciclos {
			known[key] = true
		}
		r.summary.Add(one.versions, one.verdict, one.errors)
		for _, twice := range one.verdict.Twice {
			r.t.Logf("round %d: told twice, %s", one.Number, twice)
		}
		for _, err := range one.errors {
			r.t.Errorf("round %d (seed %d): %v", one.Number, one.Seed, err)
		}
		for _, wrong := range slices.Concat(one.verdict.Lost, one.verdict.Wrong) {
			r.t.Errorf("round %d (seed %d): %s", one.Number, one.Seed, wrong)
		}
	}
	for _, key := range r.ledger.Reportes() {
		if !known[key] {
			r.t.Errorf("the platform was told of %s, which nobody activated at %s", key.reporteID, key.empresa)
		}
	}
	if !r.t.Failed() {
		r.agree() // otherwise something may still be under way
	}
}
