package conformance

import (
	"fmt"
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/sistema"
)

// settings make failures pass quickly, without changing what is done about them.
var settings = map[string]string{
	// What is slower than this counts as no answer.
	"PUI_TIMEOUT": "2s",
	// A list that could not be read is read again soon.
	"RESINCRONIZACION_CADA": "3s",
}

// system is what all tests run against.
var system *sistema.Sistema

func TestMain(m *testing.M) {
	// Nearly all of the time is spent waiting for retries.
	err := sistema.Parallel("16")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(sistema.Main(m, settings, func(s *sistema.Sistema) { system = s }))
}
