// Command registros keeps the records of institutions, finds what matches the reports of
// missing persons, and hands it on to be told.
package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/enlace-iis/enlace/services/internal/assembly"
	"github.com/enlace-iis/enlace/services/internal/terminal"
	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/registros/internal/app"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
)

func main() {
	process.Main("registros", func(ctx context.Context, log *slog.Logger) error {
		program := terminal.Program{
			Name: "registros", About: "Guarda los registros de las instituciones y halla los que corresponden a un reporte",
			Serve:      process.With(func(ctx context.Context, cfg app.Config) error { return app.Serve(ctx, cfg, log, nil) }),
			Migrate:    assembly.Migrate(postgres.Migrations, log),
			Distribute: assembly.Distribute(postgres.Migrations, log), Gather: assembly.Gather(log),
			Reapply: process.With(func(ctx context.Context, cfg app.ReapplyConfig) error { return app.Reapply(ctx, cfg, log) }),
			Health:  process.With(func(ctx context.Context, cfg app.Config) error { return process.CheckHealth(ctx, cfg.OpsAddr) }),
		}
		return terminal.Run(ctx, program.Command(), terminal.Standard(), os.Args[1:])
	})
}
