// Command registros keeps the records of institutions, finds what matches the reports of
// missing persons, and hands it on to be told.
package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/enlace-iis/enlace/services/internal/terminal"
	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/registros/internal/app"
)

func main() {
	process.Main("registros", func(ctx context.Context, log *slog.Logger) error {
		program := terminal.Program{
			Name: "registros", About: "Guarda los registros de las instituciones y halla los que corresponden a un reporte",
			Serve:   func(ctx context.Context) error { return serve(ctx, log) },
			Migrate: func(ctx context.Context) error { return migrate(ctx, log) },
			Health:  checkHealth,
		}
		return terminal.Run(ctx, program.Command(), terminal.Standard(), os.Args[1:])
	})
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
