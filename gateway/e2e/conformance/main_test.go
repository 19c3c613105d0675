package conformance

import (
	"fmt"
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// settings make failures pass quickly, without changing what is done about them.
var settings = map[string]string{
	// What is slower than this counts as no answer.
	"PUI_TIMEOUT": "2s",
	// A list that could not be read is read again soon.
	"RESYNC_INTERVAL": "3s",
}

// system is what all tests run against.
var system *harness.System

func TestMain(m *testing.M) {
	// Nearly all of the time is spent waiting for retries.
	err := harness.Parallel("16")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(harness.Main(m, settings, func(s *harness.System) { system = s }))
}
