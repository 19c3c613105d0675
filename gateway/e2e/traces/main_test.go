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
	env := map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://" + collected.address,
		"OTEL_TRACES_SAMPLER":         "parentbased_always_on",
		"OTEL_BSP_SCHEDULE_DELAY":     "100", // milliseconds
	}
	os.Exit(harness.Main(m, env, func(s *harness.System) { system = s }))
}
