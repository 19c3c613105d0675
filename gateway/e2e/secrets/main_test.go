// Package secrets holds that no secret leaves the place where it is kept: it takes a whole
// system through everything that handles one, refusals included, and looks for each in all
// that others can read. It tests; nothing imports it.
package secrets

import (
	"fmt"
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

var (
	system *harness.System
	// traces is where programs that trace send what they traced.
	traces *collector
)

func TestMain(m *testing.M) {
	var err error
	traces, err = newCollector()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	env := harness.Traced(traces.address, "always_on")
	env["LOG_LEVEL"] = "debug"
	os.Exit(harness.Main(m, env, func(s *harness.System) { system = s }))
}
