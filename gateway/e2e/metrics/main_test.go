// Package metrics holds the numbers of a running system against what was done to it, and
// the alert rules and the dashboard against the metrics that there are. It tests; nothing
// imports it.
package metrics

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

var system *harness.System

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, nil, func(s *harness.System) { system = s }))
}
