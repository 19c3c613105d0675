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
	"log/slog"

	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/simulador/internal/app"
)

func main() {
	process.Main("simulador", func(ctx context.Context, log *slog.Logger) error {
		return process.Run(ctx, map[string]func(context.Context) error{
			"serve":  process.With(func(ctx context.Context, cfg app.Config) error { return app.Serve(ctx, cfg, log) }),
			"health": process.With(func(ctx context.Context, cfg app.Config) error { return process.CheckHealth(ctx, cfg.OpsAddr) }),
		})
	})
}
