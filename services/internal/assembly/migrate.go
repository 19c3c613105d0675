package assembly

import (
	"context"
	"log/slog"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/process"
)

// MigrateConfig is what the command migrate of a service reads.
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
