package crash

import (
	"strings"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/stack"
)

// The kinds of Fault.
const (
	faultKill = "kill"
	faultCut  = "cut"
	faultHold = "hold"
	faultSlow = "slow"
	faultJump = "clock"
)

// Fault is something that is done to a part, a connection or a clock.
type Fault struct {
	After  time.Duration
	Kind   string
	Target string
	For    time.Duration
	// Jump is how far a clock moves, and Delay what a slow connection costs.
	Jump, Delay time.Duration
}

const (
	// platform is the way to the platform, as a target.
	platform = "calls of the platform"
	// toDatabase follows the name of a service.
	toDatabase = " to its database"
	// worker precedes the number of one of the cluster on which both databases are.
	worker = "trabajador-"
)

// disturbance is what a fault can do to what is told and known.
func (f Fault) disturbance() Disturbance {
	d := Disturbance{What: f.Kind + " " + f.Target}
	if f.Kind == faultJump {
		return d
	}
	both := f.Target == stack.Postgres || strings.HasPrefix(f.Target, worker)
	d.Keys = both || strings.Contains(f.Target, stack.Integracion)
	if f.Kind == faultSlow {
		return d
	}
	d.Answer = f.Target == platform || f.Target == stack.Simulador
	switch f.Target {
	case stack.Integracion, stack.Integracion + "-2", stack.Postgres + "-" + stack.Integracion, stack.Integracion + toDatabase:
		d.Commit = true
	default:
		d.Commit = both
	}
	return d
}

// Targets are what each kind of Fault can be done to, by kind.
type Targets map[string][]string

const (
	// faultsPerRound is few enough that the system mostly works.
	faultsPerRound = 3
	longestFault   = 2500 * time.Millisecond
	// longestJump bounds how long rests what a database dates by a clock that is ahead, once
	// it no longer is.
	longestJump  = 20 * time.Second
	longestDelay = 100 * time.Millisecond
)

// faults draws what is done in a round: half of it kills.
func (p *planner) faults(targets Targets) []Fault {
	kinds := []string{faultKill, faultKill, faultKill, faultKill, faultCut, faultHold, faultSlow, faultJump}
	var all []Fault
	for range faultsPerRound {
		f := Fault{
			After: p.within(roundTime), Kind: kinds[p.IntN(len(kinds))], For: p.within(longestFault),
			Jump: p.within(2*longestJump) - longestJump, Delay: p.within(longestDelay),
		}
		choice := targets[f.Kind]
		if len(choice) > 0 {
			f.Target = choice[p.IntN(len(choice))]
			all = append(all, f)
		}
	}
	return all
}
