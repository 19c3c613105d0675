package golden

import (
	"fmt"
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/sistema"
)

// system is what all cases without a circumstance of their own run against.
var system *sistema.Sistema

func TestMain(m *testing.M) {
	// Operations that are made to fail take until their deadline.
	err := sistema.Parallel("8")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(sistema.Main(m, nil, func(s *sistema.Sistema) { system = s }))
}
