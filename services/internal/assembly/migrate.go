package assembly

import (
	"context"
	"log/slog"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/process"
)

// MigrateConfig is what the commands of a service read that change its schema or where it lies.
type MigrateConfig struct {
	// DatabaseURL connects with the role that owns the schema.
	DatabaseURL string `env:"DATABASE_URL_MIGRATION,required,notEmpty"`

	Transport pg.Transport
}

// Validate implements [process.Validator].
func (c *MigrateConfig) Validate() error {
	return c.Transport.Check("DATABASE_URL_MIGRATION", c.DatabaseURL)
}

// Migrate is the command that brings a service's database to its newest schema.
func Migrate(migrations pg.Migrations, log *slog.Logger) func(context.Context) error {
	return process.With(func(ctx context.Context, cfg MigrateConfig) error {
		err := pg.Migrate(ctx, cfg.DatabaseURL, migrations)
		if err != nil {
			return err
		}
		log.InfoContext(ctx, "schema is current")
		return nil
	})
}

// Distribute is the command that spreads a service's database over the workers of a cluster.
func Distribute(migrations pg.Migrations, log *slog.Logger) func(context.Context) error {
	return process.With(func(ctx context.Context, cfg MigrateConfig) error {
		tables, err := pg.Distribute(ctx, cfg.DatabaseURL, migrations)
		if err != nil {
			return err
		}
		log.InfoContext(ctx, "database is distributed", "now", tables)
		return nil
	})
}

// Gather is the command that brings it back into one database.
func Gather(log *slog.Logger) func(context.Context) error {
	return process.With(func(ctx context.Context, cfg MigrateConfig) error {
		tables, err := pg.Gather(ctx, cfg.DatabaseURL)
		if err != nil {
			return err
		}
		log.InfoContext(ctx, "database is in one server", "now", tables)
		return nil
	})
}
