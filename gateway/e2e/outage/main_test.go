//go:build citus

package outage

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// system keeps what it acknowledged.
var system *harness.System

func TestMain(m *testing.M) {
	os.Exit(harness.MainWith(m, stack.Config{CitusWorkers: 2}, nil, func(s *harness.System) { system = s }))
}
