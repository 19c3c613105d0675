// Command gateway is the public HTTP side of Enlace: it translates JSON over HTTP into the
// services' RPCs and back, and decides nothing else. It keeps no state; any number of
// replicas may run.
//
//	gateway [serve]   answers requests
//	gateway health    ends with 0 when the one that serves here is ready
package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/enlace-iis/enlace/services/process"
)

func main() {
	process.Main("gateway", dispatch)
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
