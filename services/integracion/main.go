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
	"github.com/enlace-iis/enlace/services/internal/terminal"
	"github.com/enlace-iis/enlace/services/process"
)

func main() {
	process.Main("integracion", func(ctx context.Context, log *slog.Logger) error {
		program := terminal.Program{
			Name: "integracion", About: "Habla con la plataforma nacional, conoce a las instituciones y obedece a los operadores",
			Serve:   func(ctx context.Context) error { return serve(ctx, log) },
			Migrate: func(ctx context.Context) error { return migrate(ctx, log) },
			Health:  checkHealth,
		}
		return cli.Run(ctx, program.Command(), terminal.Standard(), os.Args[1:])
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
