// Package child runs the programs that the local run is made of.
//
// It owns how a program is started, told to stop and watched; it knows nothing of what the programs are.
// Two things hold for every child. It leads a process group of its own, so a terminal's Ctrl-C reaches it only through
// the launcher, which stops children in an order. And on Linux it dies with the launcher, even when that one is
// killed: nothing stays behind that holds a port or a data folder.
package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Spec says what to run and how it ends.
type Spec struct {
	// Name is how messages call the process.
	Name string
	Path string
	Args []string
	// Env is the whole environment: nothing is inherited.
	Env []string
	// Dir is the working directory; empty means the launcher's own.
	Dir string
	// Output receives both standard streams, or only what is not an error when Errors is given too. They are files and
	// not writers, so that waiting for the process does not wait for whoever inherited its streams.
	Output *os.File
	Errors *os.File
	// StopSignal asks for an orderly end; zero means SIGTERM.
	StopSignal syscall.Signal
	// DeathSignal is what the process gets when the launcher dies; zero means SIGKILL. Linux only.
	DeathSignal syscall.Signal
	// Account runs the process as another user; nil means the launcher's own.
	Account *syscall.Credential
}

// Process is a started child. It is safe for concurrent use.
type Process struct {
	spec Spec
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Start starts the program and returns at once.
func Start(spec Spec) (*Process, error) {
	cmd := exec.Command(spec.Path, spec.Args...) //nolint:gosec // running programs is what this package is for
	prepare(cmd, spec)
	if spec.Output != nil {
		cmd.Stdout, cmd.Stderr = spec.Output, spec.Output
	}
	if spec.Errors != nil {
		cmd.Stderr = spec.Errors
	}
	err := startOnLastingThread(cmd)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	p := &Process{spec: spec, cmd: cmd, done: make(chan struct{})}
	go p.wait()
	return p, nil
}

func (p *Process) wait() {
	p.err = p.cmd.Wait()
	close(p.done)
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed once the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns how the process ended: nil for exit status 0. It may be called only after Done is closed.
func (p *Process) Err() error { return p.err }

// Running tells whether the process has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Signal sends sig to the whole process group, as a terminal would.
func (p *Process) Signal(sig syscall.Signal) error {
	err := syscall.Kill(-p.PID(), sig)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// Stop asks the process to end, kills it after limit or when ctx ends first, and returns once it is gone.
func (p *Process) Stop(ctx context.Context, limit time.Duration) error {
	if !p.Running() {
		return nil
	}
	// The leader alone is asked: it knows in which order its own children may go.
	err := p.cmd.Process.Signal(p.stopSignal())
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", p.spec.Name, err)
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.done:
		return nil
	case <-timer.C:
	case <-ctx.Done():
	}
	return p.Kill()
}

// Kill ends the process and its group at once, and returns once it is gone.
func (p *Process) Kill() error {
	if !p.Running() {
		return nil
	}
	err := p.Signal(syscall.SIGKILL)
	if err != nil {
		return fmt.Errorf("kill %s: %w", p.spec.Name, err)
	}
	<-p.done
	return nil
}

func (p *Process) stopSignal() syscall.Signal {
	if p.spec.StopSignal != 0 {
		return p.spec.StopSignal
	}
	return syscall.SIGTERM
}

func prepare(cmd *exec.Cmd, spec Spec) {
	cmd.Env = spec.Env
	cmd.Dir = spec.Dir
	death := spec.DeathSignal
	if death == 0 {
		death = syscall.SIGKILL
	}
	cmd.SysProcAttr = attributes(death)
	cmd.SysProcAttr.Setpgid = true
	cmd.SysProcAttr.Credential = spec.Account
}
