package app

import (
	"errors"
	"time"

	"github.com/enlace-iis/enlace/gateway/internal/edge"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/process/tracing"
)

// Config is what the gateway reads from the environment.
type Config struct {
	// HTTPAddr is the public port.
	HTTPAddr string `env:"HTTP_ADDR" envDefault:":8080"`
	// OpsAddr serves metrics, probes and profiles; never to be reached from outside.
	OpsAddr string `env:"OPS_ADDR" envDefault:":9180"`
	// RegistrosTarget and IntegracionTarget are the gRPC targets of the services.
	RegistrosTarget   string `env:"REGISTROS_TARGET" envDefault:"dns:///localhost:9091"`
	IntegracionTarget string `env:"INTEGRACION_TARGET" envDefault:"dns:///localhost:9092"`
	// Services is how the services are reached: plain text or TLS.
	Services routes.TLS

	// GatewaySecret is by what integracion knows a gateway that shows it no certificate for the
	// name "gateway": at least 32 bytes. Several joined by commas: the first is given.
	GatewaySecret []string `env:"GATEWAY_SECRET"`

	// Traces is what is told of requests to a collector.
	Traces tracing.Config

	// Edge is how requests are taken and answered.
	Edge edge.Config

	process.Installation
	// DocsEnabled turns the documentation routes on outside of development too.
	DocsEnabled bool `env:"DOCS_ENABLED"`
	// ConsolaEnabled serves the console, /consola: static pages over the public routes.
	ConsolaEnabled bool `env:"CONSOLA_ENABLED" envDefault:"true"`

	// TLSCertFile and TLSKeyFile make the public port speak TLS, 1.2 or later. They are
	// read again when they change. Empty: plain HTTP, for a proxy in front.
	TLSCertFile string `env:"TLS_CERT_FILE"`
	TLSKeyFile  string `env:"TLS_KEY_FILE"`

	// StopDelay is how long requests are still taken after a SIGTERM, while balancers learn
	// from /readyz not to send any; longer than they take to notice. Zero: none are.
	StopDelay time.Duration `env:"STOP_DELAY" envDefault:"5s"`
	// StopLimit is how long running requests may go on after that; the rest is cut.
	StopLimit time.Duration `env:"STOP_LIMIT" envDefault:"20s"`
}

// Validate implements [process.Validator].
func (c *Config) Validate() error {
	problems := []error{c.Services.Validate(), c.Traces.Validate(), c.Edge.Validate()}
	if (c.TLSCertFile == "") != (c.TLSKeyFile == "") {
		problems = append(problems, errors.New("TLS_CERT_FILE and TLS_KEY_FILE go together"))
	}
	if c.Services.CertFile == "" && len(c.GatewaySecret) == 0 {
		problems = append(problems, errors.New("GATEWAY_SECRET is missing; without it, or TLS_CLIENT_CERT_FILE, integracion would take all clients for one address"))
	}
	return errors.Join(problems...)
}

// documented tells whether the documentation routes are on.
func (c Config) documented() bool { return c.DocsEnabled || c.IsDevelopment() }
