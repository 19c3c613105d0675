package app

import (
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/registrosclient"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/rpc"
)

// RegistrosConfig is what an operator's command needs that asks registros; the settings are
// those of [Config].
type RegistrosConfig struct {
	RegistrosTarget string       `env:"REGISTROS_TARGET" envDefault:"dns:///localhost:9091"`
	ServiceSecret   auth.Secrets `env:"SERVICE_SECRET,required,notEmpty"`

	TLS    rpc.TLSConfig
	Client rpc.ClientConfig
}

// Validate implements [process.Validator].
func (c *RegistrosConfig) Validate() error {
	return c.ServiceSecret.Check("SERVICE_SECRET")
}

// OpenSeguimiento connects with registros too. The answer's second part ends the connection.
func (o *Operador) OpenSeguimiento(cfg RegistrosConfig) (*seguimiento.Seguimiento, func(), error) {
	tokens, err := auth.NewServiceTokens(cfg.ServiceSecret, auth.ServicioIntegracion, auth.ServicioRegistros)
	if err != nil {
		return nil, nil, err
	}
	client := cfg.Client
	client.TLS = cfg.TLS
	client.Credentials = tokens
	conn, err := rpc.Dial(cfg.RegistrosTarget, client)
	if err != nil {
		return nil, nil, err
	}
	// At the end of a command nothing is lost by a connection that does not close.
	closeConn := func() { _ = conn.Close() }
	return &seguimiento.Seguimiento{Store: o.store, Casos: registrosclient.NewOperacion(conn), Now: time.Now}, closeConn, nil
}
