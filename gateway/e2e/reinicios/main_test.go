//go:build linux

package reinicios

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/sistema"
)

// system is what is restarted. Its programs stop as they do in production, only sooner,
// because the balancer looks more often; see the defaults of both settings.
var system *sistema.Replicado

func TestMain(m *testing.M) {
	env := map[string]string{"STOP_DELAY": "2s", "GRPC_STOP_DELAY": "1s"}
	os.Exit(sistema.MainReplicado(m, env, func(s *sistema.Replicado) { system = s }))
}
