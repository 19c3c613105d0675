package app

import (
	"errors"
	"time"

	"github.com/enlace-iis/enlace/services/internal/assembly"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// Config is what `registros serve` reads from the environment.
type Config struct {
	assembly.Config

	// GRPCAddr is where gRPC is served.
	GRPCAddr string `env:"GRPC_ADDR" envDefault:":9091"`
	// OpsAddr serves metrics, probes and profiles; never to be reached from outside.
	OpsAddr string `env:"OPS_ADDR" envDefault:":9191"`
	// IntegracionTarget is the gRPC target of integracion.
	IntegracionTarget string `env:"INTEGRACION_TARGET" envDefault:"dns:///localhost:9092"`
	// CaseRetention is how many days after a Caso was closed its personal data is kept.
	// 0: for ever. The same setting is integracion's, for its Reportes.
	CaseRetention int `env:"CASE_RETENTION" envDefault:"90"`
	// RecordRetention is how many days after its event a Registro is kept. 0: for ever.
	// The default is the twelve years that a search looks back, and a month; with less,
	// searches lose what they should find.
	RecordRetention int `env:"RECORD_RETENTION" envDefault:"4414"`

	// RecordQuota is how many Registros each institution may have, about 830 bytes of disk each.
	// What would add more is refused with 507 (see docs/operations.md); changes of what is there are
	// taken. 0: no limit.
	RecordQuota int `env:"RECORD_QUOTA" envDefault:"50000000"`

	Database pg.Config
}

// Validate implements [process.Validator].
func (c *Config) Validate() error {
	return errors.Join(
		c.Config.Validate(),
		c.Database.Validate(),
		assembly.NotNegative("CASE_RETENTION", c.CaseRetention),
		assembly.NotNegative("RECORD_RETENTION", c.RecordRetention),
		assembly.NotNegative("RECORD_QUOTA", c.RecordQuota),
	)
}

func (c *Config) retencion() registros.Retencion {
	const day = 24 * time.Hour
	return registros.Retencion{Casos: time.Duration(c.CaseRetention) * day, Registros: time.Duration(c.RecordRetention) * day}
}
