// Command registros keeps the records of institutions, finds what matches the reports of
// missing persons, and hands it on to be told.
//
//	registros [serve]   answers gRPC and works the jobs
//	registros migrate   brings the database to the newest schema
//	registros health    ends with 0 when the one that serves here is ready
package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/registros/internal/app"
)

func main() {
	process.Main("registros", dispatch)
}

func dispatch(ctx context.Context, log *slog.Logger) error {
	switch command := process.Command(); command {
	case "serve":
		return serve(ctx, log)
	case "migrate":
		return migrate(ctx, log)
	case "health":
		return checkHealth(ctx)
	default:
		return fmt.Errorf("unknown command %q: use serve, migrate or health", command)
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
