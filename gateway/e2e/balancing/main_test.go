//go:build linux

package balancing

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

var system *harness.Replicated

func TestMain(m *testing.M) {
	os.Exit(harness.MainReplicated(m, nil, func(s *harness.Replicated) { system = s }))
}
