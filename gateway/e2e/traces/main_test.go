// Package traces holds that a trace follows a request through the whole system, and that it
// holds nothing of what the request was about. It tests; nothing imports it.
package traces

import (
	"fmt"
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

var (
	system *harness.System
	// collected is what all programs traced.
	collected *collector
)

func TestMain(m *testing.M) {
	var err error
	collected, err = newCollector()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(harness.Main(m, harness.Traced(collected.address, "parentbased_always_on"), func(s *harness.System) { system = s }))
}
