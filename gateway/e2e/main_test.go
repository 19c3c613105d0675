package e2e

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// system is what all tests run against.
var system *harness.System

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, nil, func(s *harness.System) { system = s }))
}
