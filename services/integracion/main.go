// Command integracion is the one service that speaks with the national platform, in both
// directions, and that knows institutions and their credentials.
//
//	integracion [serve]   answers gRPC and works the jobs
//	integracion migrate   brings the database to the newest schema
//	integracion health    ends with 0 when the one that serves here is ready
//	integracion empresas|claves|usuarios|api-keys …   what an operator does; see package cli
package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/integracion/internal/cli"
	"github.com/enlace-iis/enlace/services/process"
)

func main() {
	process.Main("integracion", dispatch)
}

func dispatch(ctx context.Context, log *slog.Logger) error {
	switch process.Command() {
	case "serve":
		return serve(ctx, log)
	case "migrate":
		return migrate(ctx, log)
	case "health":
		return checkHealth(ctx)
	default:
		return cli.Run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	}
}

func serve(ctx context.Context, log *slog.Logger) error {
	cfg, err := process.Load[app.Config]()
	if err != nil {
		return err
	}
	return app.Serve(ctx, cfg, log, nil)
}

func migrate(ctx context.Context, log *slog.Logger) error {
	cfg, err := process.Load[app.MigrateConfig]()
	if err != nil {
		return err
	}
	err = app.Migrate(ctx, cfg)
	if err != nil {
		return err
	}
	log.InfoContext(ctx, "schema is current")
	return nil
}

func checkHealth(ctx context.Context) error {
	cfg, err := process.Load[app.Config]()
	if err != nil {
		return err
	}
	return process.CheckHealth(ctx, cfg.OpsAddr)
}
