// Package stuck holds that nothing which the platform does not take keeps the rest from being
// told: not a step that it answers with an error for ever, nor an outage, nor a reading of the
// manual that is not ours.
package stuck

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// settings make a step a stuck one within seconds.
var settings = map[string]string{
	"STUCK_ANSWERS": "3",
	"STUCK_AFTER":   "1s",
	"PUI_TIMEOUT":   "2s",
	// Nothing but a delivery notices that the platform is back.
	"RESYNC_INTERVAL": "1h",
}

// system is what all tests run against.
var system *harness.System

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, settings, func(s *harness.System) { system = s }))
}
