package terminal

import (
	"context"

	"github.com/spf13/cobra"
)

// Program is what every service can be told to do.
type Program struct {
	Name  string
	About string
	// Serve is also what it does without a command.
	Serve, Migrate, Health func(ctx context.Context) error
	// Distribute and Gather take the database to a cluster and back.
	Distribute, Gather func(ctx context.Context) error
	// Reapply erases again what a restoration brought back; nil: the program has no such command, or
	// one that says more.
	Reapply func(ctx context.Context) error
}

// Command makes the root of its commands.
func (p Program) Command() *cobra.Command {
	root := command(p.Name, p.About, p.Serve)
	serve := command("serve", "Contesta por gRPC y hace los trabajos; también sin comando", p.Serve)
	serve.Example = p.Name + " serve"
	migrate := command("migrate", "Lleva la base de datos al esquema más nuevo", p.Migrate)
	migrate.Example = "DATABASE_URL_MIGRATION=postgres://… " + p.Name + " migrate"
	health := command("health", "Termina con 0 si el que sirve aquí está listo", p.Health)
	health.Example = p.Name + " health"
	distribute := command("distribuir", "Reparte la base de datos por institución entre los servidores de un clúster de Citus", p.Distribute)
	distribute.Example = "DATABASE_URL_MIGRATION=postgres://… " + p.Name + " distribuir"
	gather := command("reunir", "Vuelve a reunir en un servidor la base de datos que distribuir repartió", p.Gather)
	gather.Example = "DATABASE_URL_MIGRATION=postgres://… " + p.Name + " reunir"
	root.AddCommand(serve, migrate, health, distribute, gather)
	if p.Reapply != nil {
		reapply := command("reaplicar", "Tras restaurar la base de datos, y antes de servir: vuelve a borrar a quienes ya se había borrado", p.Reapply)
		reapply.Example = p.Name + " reaplicar"
		root.AddCommand(reapply)
	}
	return root
}

func command(use, short string, do func(ctx context.Context) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short,
		RunE: func(cmd *cobra.Command, _ []string) error { return do(cmd.Context()) },
	}
}
