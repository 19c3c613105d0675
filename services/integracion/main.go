// Command integracion is the one service that speaks with the national platform, in both
// directions, and that knows institutions and their credentials. It is also what an operator
// gives commands to; see package cli.
package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/integracion/internal/cli"
	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/internal/assembly"
	"github.com/enlace-iis/enlace/services/internal/terminal"
	"github.com/enlace-iis/enlace/services/process"
)

func main() {
	process.Main("integracion", func(ctx context.Context, log *slog.Logger) error {
		program := terminal.Program{
			Name: "integracion", About: "Habla con la plataforma nacional, conoce a las instituciones y obedece a los operadores",
			Serve:      process.With(func(ctx context.Context, cfg app.Config) error { return app.Serve(ctx, cfg, log, nil) }),
			Migrate:    assembly.Migrate(postgres.Migrations, log),
			Distribute: assembly.Distribute(postgres.Migrations, log), Gather: assembly.Gather(log),
			Health: process.With(func(ctx context.Context, cfg app.Config) error { return process.CheckHealth(ctx, cfg.OpsAddr) }),
		}
		return cli.Run(ctx, program.Command(), terminal.Standard(), os.Args[1:])
	})
}
