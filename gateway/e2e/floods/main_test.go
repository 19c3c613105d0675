//go:build linux && floods

package floods

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// programs are those that face the floods.
var programs = []string{stack.Gateway, stack.Registros, stack.Integracion}

var system *harness.System

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "enlace-floods-")
	if err != nil {
		fail(err)
	}
	binDir := filepath.Join(dir, "bin")
	err = harness.Build(binDir)
	if err != nil {
		fail(err)
	}
	env := map[string]string{"TRUSTED_PROXIES": "127.0.0.0/8", "RATE_LIMIT": "1000", "LOG_LEVEL": "error"}
	code := harness.MainWith(m, stack.Config{Throwaway: true, BinDir: binDir}, env, func(s *harness.System) {
		system = s
		err = limitMemory(s)
		if err != nil {
			fail(err)
		}
	})
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// limitMemory tells each program what its pod would.
func limitMemory(s *harness.System) error {
	for _, program := range programs {
		pod, err := podOf(program)
		if err != nil {
			return err
		}
		err = s.Setenv(program, "GOMEMLIMIT", fmt.Sprint(pod.requested))
		if err != nil {
			return err
		}
		err = s.Restart(context.Background(), program)
		if err != nil {
			return err
		}
	}
	return nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
