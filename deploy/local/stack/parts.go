package stack

import (
	"context"
	"fmt"
	"sync/atomic"
	"syscall"
)

// Exit tells that a part ended although nobody asked it to.
type Exit struct {
	Name    string
	LogPath string
}

// part is one process as the stack handles it.
type part interface {
	name() string
	logPath() string
	// start returns once the part serves. After a kill it starts again at the old address.
	start(ctx context.Context) error
	stop(ctx context.Context) error
	kill() error
	done() <-chan struct{}
}

// run is a part that was started. Each start has its own leaving, so that a late look at the end of an earlier process is
// not mistaken for the end of the present one.
type run struct {
	part
	leaving *atomic.Bool
}

// startPart starts a part and watches it from then on.
func (s *Stack) startPart(ctx context.Context, p part) error {
	err := p.start(ctx)
	if err != nil {
		return err
	}
	r := &run{part: p, leaving: new(atomic.Bool)}
	s.mu.Lock()
	s.runs = append(s.runs, r)
	s.mu.Unlock()
	s.watch(r)
	return nil
}

func (s *Stack) watch(r *run) {
	done, leaving := r.done(), r.leaving
	go func() {
		<-done
		if leaving.Load() {
			return
		}
		select {
		case s.exited <- Exit{Name: r.name(), LogPath: r.logPath()}:
		default: // nobody reads, and more are waiting than there are parts
		}
	}()
}

// Exited delivers the parts that ended although neither Stop, Kill nor Restart asked them to.
func (s *Stack) Exited() <-chan Exit { return s.exited }

// Kill ends a part at once, as a crash would: SIGKILL, and for PostgreSQL its immediate shutdown.
func (s *Stack) Kill(name string) error {
	r, err := s.find(name)
	if err != nil {
		return err
	}
	r.leaving.Store(true)
	return r.kill()
}

// End stops a part in order, as SIGTERM does, and returns once it has ended. It may be called again.
func (s *Stack) End(ctx context.Context, name string) error {
	r, err := s.find(name)
	if err != nil {
		return err
	}
	r.leaving.Store(true)
	return r.stop(ctx)
}

// Restart starts a part again at its old address, after Kill or End or after a stop in order when it still runs, and returns
// once it is ready.
func (s *Stack) Restart(ctx context.Context, name string) error {
	r, err := s.find(name)
	if err != nil {
		return err
	}
	r.leaving.Store(true)
	err = r.stop(ctx)
	if err != nil {
		return err
	}
	err = r.start(ctx)
	if err != nil {
		return err
	}
	s.watchAgain(r)
	return nil
}

// watchAgain watches a part that was stopped on purpose and runs again.
func (s *Stack) watchAgain(r *run) {
	s.mu.Lock()
	r.leaving = new(atomic.Bool)
	s.mu.Unlock()
	s.watch(r)
}

// Pause halts one of our programs where it is, as an overloaded machine might, until Resume: it keeps its connections and
// answers nobody.
func (s *Stack) Pause(name string) error { return s.signal(name, syscall.SIGSTOP) }

// Resume lets a paused program go on.
func (s *Stack) Resume(name string) error { return s.signal(name, syscall.SIGCONT) }

func (s *Stack) signal(name string, sig syscall.Signal) error {
	v, err := s.findService(name)
	if err != nil {
		return err
	}
	return v.process.Signal(sig)
}

func (s *Stack) findService(name string) (*service, error) {
	r, err := s.find(name)
	if err != nil {
		return nil, err
	}
	ours, ok := r.part.(*service)
	if !ok {
		return nil, fmt.Errorf("%s is none of our programs", name)
	}
	return ours, nil
}

func (s *Stack) find(name string) (*run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		if r.name() == name {
			return r, nil
		}
	}
	return nil, fmt.Errorf("find part: no %q runs here", name)
}
