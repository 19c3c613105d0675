package main

import (
	"syscall"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/stack"
)

// Only Linux ends the children of a launcher that was killed.
func TestRun_killed(t *testing.T) {
	t.Parallel()
	dir := localDir(t)
	l := launch(t, dir, nil, "run")
	l.awaitLine(t, ready)
	l.signal(t, syscall.SIGKILL)
	for _, name := range []string{stack.Gateway, stack.Registros, stack.Integracion, stack.Simulador} {
		awaitGone(t, pidOf(t, dir, name))
	}

	again := launch(t, dir, nil, "run")
	again.awaitLine(t, ready)
}
