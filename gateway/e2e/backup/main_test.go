//go:build backup

// Package backup takes a backup of a system under load, loses its databases, restores them
// and holds what must be there again. It needs PostgreSQL's client programs, and so has a
// make target and a build tag of its own. It tests; nothing imports it.
package backup

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

var system *harness.System

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, nil, func(s *harness.System) { system = s }))
}
