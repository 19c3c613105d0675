// Command simulador is the national platform's stand-in: it answers institutions
// as the manual's §7 says, judges what they send, calls them as its §8 says, and
// shows faults on demand. For tests, for the local run and for an institution's
// own trials; never for production, for its control routes have no credential.
//
//	simulador [serve]   answers requests
//	simulador health    ends with 0 when the one that serves here is ready
package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/enlace-iis/enlace/services/process"
)

func main() {
	process.Main("simulador", dispatch)
}

func dispatch(ctx context.Context, log *slog.Logger) error {
	switch command := process.Command(); command {
	case "serve":
		return run(ctx, log)
	case "health":
		return checkHealth(ctx)
	default:
		return fmt.Errorf("unknown command %q: use serve or health", command)
	}
}

func checkHealth(ctx context.Context) error {
	cfg, err := process.Load[Config]()
	if err != nil {
		return err
	}
	return process.CheckHealth(ctx, cfg.OpsAddr)
}
