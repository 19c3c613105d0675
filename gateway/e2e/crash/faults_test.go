//go:build linux && crash

package crash

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/stack"
)

// saboteur does the faults, one at a time to each target, and counts them.
type saboteur struct {
	*rig

	mu     sync.Mutex
	busy   map[string]*sync.Mutex
	counts map[string]int
}

func newSaboteur(r *rig) *saboteur {
	return &saboteur{rig: r, busy: map[string]*sync.Mutex{}, counts: map[string]int{}}
}

// do does a fault and undoes it.
func (s *saboteur) do(ctx context.Context, f Fault) error {
	lock := s.lock(f.Target)
	lock.Lock()
	defer lock.Unlock()
	if ctx.Err() != nil {
		return nil // the load is over; what is done now proves nothing
	}
	s.count(f)
	end := s.ledger.Disturb(f.disturbance())
	defer end()
	// Whatever the load does meanwhile, a fault is undone.
	return s.inflict(context.WithoutCancel(ctx), f)
}

func (s *saboteur) lock(target string) *sync.Mutex {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[target] == nil {
		s.busy[target] = &sync.Mutex{}
	}
	return s.busy[target]
}

func (s *saboteur) count(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[f.Kind+" "+f.Target]++
}

func (s *saboteur) inflict(ctx context.Context, f Fault) error {
	switch {
	case f.Kind == faultKill:
		return s.kill(ctx, f.Target)
	case f.Kind == faultJump:
		err := setClock(s.clocks[f.Target], f.Jump)
		<-time.After(f.For)
		return errors.Join(err, setClock(s.clocks[f.Target], 0))
	case f.Target == platform:
		s.door.Lose(map[string]Loss{faultCut: Requests, faultHold: Answers, faultSlow: Patience}[f.Kind])
		<-time.After(f.For)
		s.door.Lose(Nothing)
		return nil
	default:
		return interrupt(s.links[f.Target], f)
	}
}

func interrupt(link *Link, f Fault) error {
	switch f.Kind {
	case faultCut:
		link.Cut()
	case faultHold:
		link.Hold()
	default:
		link.Slow(f.Delay)
	}
	<-time.After(f.For)
	link.Mend()
	return nil
}

// kill ends a part as a crash does and starts it again.
func (s *saboteur) kill(ctx context.Context, target string) error {
	cluster, ours := s.clusters[target]
	if ours {
		return errors.Join(cluster.Crash(), cluster.Restart(ctx))
	}
	if target == stack.Simulador {
		return s.killSimulator(ctx)
	}
	err := s.system.Kill(target)
	if err != nil {
		return err
	}
	return s.revive(ctx, target)
}

// revive starts a part again. While its database is away it may end at once; whoever runs it
// starts it again.
func (s *saboteur) revive(ctx context.Context, target string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := s.system.Restart(ctx, target)
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
}

// killSimulator has the platform's door shut until the new one knows the institutions.
func (s *saboteur) killSimulator(ctx context.Context) error {
	lock := s.lock(platform)
	lock.Lock()
	defer lock.Unlock()
	err := s.system.Kill(stack.Simulador)
	s.door.Lose(Requests)
	defer s.door.Lose(Nothing)
	if err != nil {
		return err
	}
	s.door.Forget()
	err = s.revive(ctx, stack.Simulador)
	if err != nil {
		return err
	}
	return s.enroll(ctx)
}
