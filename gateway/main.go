// Command gateway is the public HTTP side of Enlace: it translates JSON over HTTP into the
// services' RPCs and back, and decides nothing else. It keeps no state; any number of
// replicas may run.
//
//	gateway [serve]   answers requests
//	gateway health    ends with 0 when the one that serves here is ready
package main

import (
	"context"
	"io"
	"log/slog"

	"google.golang.org/grpc/grpclog"

	"github.com/enlace-iis/enlace/gateway/internal/app"
	"github.com/enlace-iis/enlace/services/process"
)

func main() {
	process.Main("gateway", func(ctx context.Context, log *slog.Logger) error {
		// gRPC and grpc-gateway report on their own; what is more than a remark joins our log.
		remarks, failures := io.Discard, slog.NewLogLogger(log.Handler(), slog.LevelWarn).Writer()
		grpclog.SetLoggerV2(grpclog.NewLoggerV2(remarks, remarks, failures))
		return process.Run(ctx, map[string]func(context.Context) error{
			"serve":  process.With(func(ctx context.Context, cfg app.Config) error { return app.Serve(ctx, cfg, log) }),
			"health": process.With(func(ctx context.Context, cfg app.Config) error { return process.CheckHealth(ctx, cfg.OpsAddr) }),
		})
	})
}
