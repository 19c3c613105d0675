//go:build linux

package rotation

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/fleet"
	"github.com/enlace-iis/enlace/gateway/e2e/sistema"
)

// system is whose secrets change.
var system *sistema.Replicado

func TestMain(m *testing.M) {
	os.Exit(sistema.MainReplicado(m, fleet.Settings, func(s *sistema.Replicado) { system = s }))
}
