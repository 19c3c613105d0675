//go:build linux

package reparto

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/sistema"
)

var system *sistema.Replicado

func TestMain(m *testing.M) {
	os.Exit(sistema.MainReplicado(m, nil, func(s *sistema.Replicado) { system = s }))
}
