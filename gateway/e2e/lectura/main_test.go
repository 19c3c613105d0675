// Package lectura holds that lists are read from a streaming replica, that they and their
// revisions fit together however far behind it is, and that its end ends nothing. It tests;
// nothing imports it.
package lectura

import (
	"os"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/sistema"
)

var system *sistema.Sistema

func TestMain(m *testing.M) {
	os.Exit(sistema.MainWith(m, stack.Config{Throwaway: true, Lectura: true}, nil, func(s *sistema.Sistema) { system = s }))
}
