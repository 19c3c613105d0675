package app

import (
	"errors"
	"fmt"
	"time"

	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/process/tracing"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// Config is what `registros serve` reads from the environment.
type Config struct {
	// GRPCAddr is where gRPC is served.
	GRPCAddr string `env:"GRPC_ADDR" envDefault:":9091"`
	// OpsAddr serves metrics, probes and profiles; never to be reached from outside.
	OpsAddr string `env:"OPS_ADDR" envDefault:":9191"`
	// MaxWorkers bounds the jobs that run at once on this replica. 0: 25 per core.
	MaxWorkers int `env:"TRABAJOS_MAX" envDefault:"0"`
	// IntegracionTarget is the gRPC target of integracion.
	IntegracionTarget string `env:"INTEGRACION_TARGET" envDefault:"dns:///localhost:9092"`
	// ServicioSecreto signs the tokens between the two services: at least 32 bytes, the
	// same on both sides. Several joined by commas: the first signs, all are accepted.
	ServicioSecreto auth.Secrets `env:"SERVICIO_SECRETO,required,notEmpty"`
	// RetencionCasos is how many days after a Caso was closed its personal data is kept.
	// 0: for ever. The same setting is integracion's, for its Reportes.
	RetencionCasos int `env:"RETENCION_CASOS" envDefault:"90"`
	// RetencionRegistros is how many days after its event a Registro is kept. 0: for ever.
	// The default is the twelve years that a search looks back, and a month; with less,
	// searches lose what they should find.
	RetencionRegistros int `env:"RETENCION_REGISTROS" envDefault:"4414"`
	// StopLimit bounds the stop of all else once the calls have ended. Running jobs may
	// finish within three quarters of it from the SIGTERM on.
	StopLimit time.Duration `env:"STOP_LIMIT" envDefault:"20s"`

	Database pg.Config

	Server rpc.ServerConfig
	Client rpc.ClientConfig
	Keys   auth.CacheConfig
	Limits auth.LimitConfig
	Shares auth.ShareConfig
	Traces tracing.Config
}

// Validate implements [process.Validator].
func (c *Config) Validate() error {
	return errors.Join(
		c.Database.Validate(),
		c.ServicioSecreto.Check("SERVICIO_SECRETO"),
		notNegative("RETENCION_CASOS", c.RetencionCasos),
		notNegative("RETENCION_REGISTROS", c.RetencionRegistros),
		c.Traces.Validate(),
	)
}

func notNegative(name string, days int) error {
	if days < 0 {
		return fmt.Errorf("%s must not be negative", name)
	}
	return nil
}

func (c *Config) retencion() registros.Retencion {
	const day = 24 * time.Hour
	return registros.Retencion{Casos: time.Duration(c.RetencionCasos) * day, Registros: time.Duration(c.RetencionRegistros) * day}
}

// MigrateConfig is what `registros migrate` reads.
type MigrateConfig struct {
	// DatabaseURL connects with the role that owns the schema.
	DatabaseURL string `env:"DATABASE_URL_MIGRACION,required"`

	Transport pg.Transport
}

// Validate implements [process.Validator].
func (c *MigrateConfig) Validate() error {
	return c.Transport.Check("DATABASE_URL_MIGRACION", c.DatabaseURL)
}
