//go:build linux && upgrade

package upgrade

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/fleet"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

var (
	// system begins as the earlier programs on their schema.
	system *harness.Replicated
	// earlier and present are the folders of the two sets of programs.
	earlier, present string
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "enlace-upgrade-")
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	present = filepath.Join(dir, "present")
	err = harness.Build(present, "-race")
	if err != nil {
		return failed(err)
	}
	err = buildEarlier(dir)
	if err != nil {
		return failed(err)
	}
	return harness.MainReplicadoFrom(m, earlier, fleet.Settings, func(s *harness.Replicated) {
		system = s
		// Each answer may be of either revision, and only one's document is known.
		s.Document = nil
		harness.Recorder.Know(s.Addresses().BaseURL, nil)
	})
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}
