//go:build linux && restarts

package restarts

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/fleet"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// system is what is restarted.
var system *harness.Replicated

func TestMain(m *testing.M) {
	os.Exit(harness.MainReplicated(m, fleet.Settings, func(s *harness.Replicated) { system = s }))
}
