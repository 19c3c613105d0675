//go:build respaldo

// Package respaldo takes a backup of a system under load, loses its databases, restores them
// and holds what must be there again. It needs PostgreSQL's client programs, and so has a
// make target and a build tag of its own. It tests; nothing imports it.
package respaldo

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/sistema"
)

var system *sistema.Sistema

func TestMain(m *testing.M) {
	os.Exit(sistema.Main(m, nil, func(s *sistema.Sistema) { system = s }))
}
