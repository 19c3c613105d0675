// Package metricas holds the numbers of a running system against what was done to it, and
// the alert rules and the dashboard against the metrics that there are. It tests; nothing
// imports it.
package metricas

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/sistema"
)

var system *sistema.Sistema

func TestMain(m *testing.M) {
	os.Exit(sistema.Main(m, nil, func(s *sistema.Sistema) { system = s }))
}
