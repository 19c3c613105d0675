// Package readreplica holds that lists are read from a streaming replica, that they and their
// revisions fit together however far behind it is, and that its end ends nothing. It tests;
// nothing imports it.
package readreplica

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

var system *harness.System

func TestMain(m *testing.M) {
	os.Exit(harness.MainWith(m, stack.Config{Throwaway: true, Lectura: true}, nil, func(s *harness.System) { system = s }))
}
