package golden

import (
	"fmt"
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// system is what all cases without a circumstance of their own run against.
var system *harness.System

func TestMain(m *testing.M) {
	// Operations that are made to fail take until their deadline.
	err := harness.Parallel("8")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// Cases share one institution and run at once; what its share is belongs to package floods.
	unshared := map[string]string{"EMPRESA_MAX_BATCHES": "1000", "EMPRESA_MAX_BATCH_BYTES": "1073741824", "MAX_BODY_BYTES": "1073741824"}
	os.Exit(harness.Main(m, unshared, func(s *harness.System) { system = s }))
}
