//go:build pgbouncer

// Package pgbouncer holds that both services work through a pooler that gives out server
// connections for a transaction each. It needs a pgbouncer, whose path is in PGBOUNCER, and
// so has a make target and a build tag of its own. It tests; nothing imports it.
package pgbouncer

import (
	"fmt"
	"os"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

var system *harness.System

func TestMain(m *testing.M) {
	program := os.Getenv("PGBOUNCER")
	if program == "" {
		fmt.Fprintln(os.Stderr, "PGBOUNCER is not set: run `make pgbouncer-check`")
		os.Exit(1)
	}
	os.Exit(harness.MainWith(m, stack.Config{Throwaway: true, Pgbouncer: program}, nil, func(s *harness.System) { system = s }))
}
