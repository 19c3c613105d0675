// Command registros keeps the records of institutions, finds what matches the reports of
// missing persons, and hands it on to be told.
//
//	registros [serve]   answers gRPC and works the jobs
//	registros migrate   brings the database to the newest schema
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/registros/internal/app"
)

func main() {
	process.Main("registros", dispatch)
}

func dispatch(ctx context.Context, log *slog.Logger) error {
	command := "serve"
	if len(os.Args) > 1 {
		command = os.Args[1]
	}
	switch command {
	case "serve":
		return serve(ctx, log)
	case "migrate":
		return migrate(ctx, log)
	default:
		return fmt.Errorf("unknown command %q: use serve or migrate", command)
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
