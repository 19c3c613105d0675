//go:build linux && rotation

package rotation

import (
	"fmt"
	"maps"
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/fleet"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

var (
	// system is whose secrets change.
	system *harness.Replicated
	// shown are its certificates.
	shown *certificados
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "enlace-rotation-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	shown, err = newCertificados(folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	env := shown.settings()
	maps.Copy(env, fleet.Settings)
	return harness.MainReplicated(m, env, func(s *harness.Replicated) { system = s })
}
