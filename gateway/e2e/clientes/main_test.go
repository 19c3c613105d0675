package clientes

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/sistema"
)

// system is what all tests run against.
var system *sistema.Sistema

func TestMain(m *testing.M) {
	os.Exit(sistema.Main(m, nil, func(s *sistema.Sistema) { system = s }))
}
