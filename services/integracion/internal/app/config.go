package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/enlace-iis/enlace/proto/opciones"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/assembly"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/removals"
	"github.com/enlace-iis/enlace/services/process"
)

// Storage is what serves and what works on the database without a session need.
type Storage struct {
	process.Installation
	// EncryptionKeys encrypts secrets that must be readable again, `id:base64 of 32 bytes`,
	// several joined by commas. The first seals and all open: put a new one in front to
	// rotate.
	EncryptionKeys string `env:"ENCRYPTION_KEYS,required,notEmpty"`
	// HashSecret is the key of the keyed hashes, at least 32 bytes. Changing it makes
	// every clave that the platform uses towards us useless.
	HashSecret string `env:"HASH_SECRET,required,notEmpty"`
	// PuiHTTP admits a platform without TLS outside of development too: a stand-in on a
	// private network.
	PuiHTTP bool `env:"PUI_HTTP" envDefault:"false"`

	Removals removals.Config
	Database pg.Config
}

// Validate implements [process.Validator].
func (s *Storage) Validate() error {
	return errors.Join(s.Database.Validate(), auth.Secrets{s.HashSecret}.Check("HASH_SECRET"))
}

// Config is what `integracion serve` reads from the environment.
type Config struct {
	Storage
	assembly.Config

	// GRPCAddr is where gRPC is served.
	GRPCAddr string `env:"GRPC_ADDR" envDefault:":9092"`
	// OpsAddr serves metrics, probes and profiles; never to be reached from outside.
	OpsAddr string `env:"OPS_ADDR" envDefault:":9192"`
	// PublicURL and RootPath are the gateway's: operators are told with them what to enter at
	// the platform's portal.
	PublicURL string `env:"PUBLIC_URL" envDefault:"http://localhost:8080"`
	RootPath  string `env:"ROOT_PATH"`
	// RegistrosTarget is the gRPC target of registros.
	RegistrosTarget string `env:"REGISTROS_TARGET" envDefault:"dns:///localhost:9091"`
	// JWTSecret signs the tokens of /login, at least 32 bytes. Several joined by commas: the
	// first signs, all are accepted; one that is left out voids its tokens.
	JWTSecret auth.Secrets `env:"JWT_SECRET,required,notEmpty"`
	// EvidenceKeys sign evidence (Ed25519), base64 of 32 bytes. Several joined by commas: the
	// first signs; the others' public halves stay published, for what they signed.
	EvidenceKeys []string `env:"EVIDENCE_KEYS,required,notEmpty"`
	// LoginMaxFailures wrong logins are borne within LoginFailureWindow, for each address and
	// base (an institution's own address, or the root), and as many wrong codes of the second
	// factor for each operator.
	LoginMaxFailures   int           `env:"LOGIN_MAX_FAILURES" envDefault:"10"`
	LoginFailureWindow time.Duration `env:"LOGIN_FAILURE_WINDOW" envDefault:"15m"`
	// SecondFactor is "required" or "optional" for operators; "auto" requires it unless APP_ENV is
	// development.
	SecondFactor string `env:"SECOND_FACTOR" envDefault:"auto"`
	// GatewaySecret is by what a gateway is known whose certificate does not say so
	// (TLS_CLIENT_CA_FILE): at least 32 bytes. Its word on a client's address is taken for the
	// limits of logins. Several joined by commas: all are accepted.
	GatewaySecret auth.Secrets `env:"GATEWAY_SECRET"`
	// PuiTimeout bounds one attempt to tell the platform something, logins included. Above
	// registros' own deadline (15 s) the outcome is only learnt at the next attempt.
	PuiTimeout time.Duration `env:"PUI_TIMEOUT" envDefault:"15s"`
	// StuckAnswers are how many answers of 5xx or 404, and StuckAfter over how long a time, make a
	// match or an end of a search one that the platform does not take. What follows it is told, and
	// it is told again once a day, if the platform takes others.
	StuckAnswers int           `env:"STUCK_ANSWERS" envDefault:"10"`
	StuckAfter   time.Duration `env:"STUCK_AFTER" envDefault:"1h"`
	// ResyncInterval is between two comparisons with the platform's list of active
	// searches; they also run at every start and after an outage.
	ResyncInterval time.Duration `env:"RESYNC_INTERVAL" envDefault:"15m"`
	// CaseRetention is how many days after its deactivation a Reporte's personal data is
	// kept. 0: for ever. The same setting is registros', for its Casos.
	CaseRetention int `env:"CASE_RETENTION" envDefault:"90"`
	// SilentDays is how many days without a new record make an institution one that operators
	// should look at, KeyExpiryDays how many days before its end a key is.
	SilentDays    int `env:"SILENT_DAYS" envDefault:"7"`
	KeyExpiryDays int `env:"KEY_EXPIRY_DAYS" envDefault:"30"`
	// CargaLimite is how long after its creation an institution may take for its initial load
	// before operators should look at it. Nothing is released by itself.
	CargaLimite time.Duration `env:"CARGA_LIMITE" envDefault:"720h"`
}

// Validate implements [process.Validator].
func (c *Config) Validate() error {
	return errors.Join(
		c.Storage.Validate(),
		c.Config.Validate(),
		c.JWTSecret.Check("JWT_SECRET"),
		c.checkGateway(),
		oneOf("SECOND_FACTOR", c.SecondFactor, secondFactorAuto, secondFactorRequired, secondFactorOptional),
		positive("LOGIN_MAX_FAILURES", c.LoginMaxFailures > 0),
		positive("LOGIN_FAILURE_WINDOW", c.LoginFailureWindow > 0),
		positive("SILENT_DAYS", c.SilentDays > 0),
		positive("KEY_EXPIRY_DAYS", c.KeyExpiryDays > 0),
		positive("CARGA_LIMITE", c.CargaLimite > 0),
		positive("PUI_TIMEOUT", c.PuiTimeout > 0),
		positive("STUCK_ANSWERS", c.StuckAnswers > 0),
		positive("STUCK_AFTER", c.StuckAfter > 0),
		assembly.NotNegative("CASE_RETENTION", c.CaseRetention),
		positive("RESYNC_INTERVAL", c.ResyncInterval > 0),
	)
}

// checkGateway refuses settings by which no gateway would be known.
func (c *Config) checkGateway() error {
	if len(c.GatewaySecret) == 0 && c.Server.TLS.ClientCAFile != "" {
		return nil
	}
	return c.GatewaySecret.Check("GATEWAY_SECRET, or TLS_CLIENT_CA_FILE,")
}

// The values of SECOND_FACTOR.
const (
	secondFactorAuto     = "auto"
	secondFactorRequired = "required"
	secondFactorOptional = "optional"
)

func (c *Config) requiresSecondFactor() bool {
	return c.SecondFactor == secondFactorRequired || c.SecondFactor == secondFactorAuto && !c.IsDevelopment()
}

// shownVersion is what anybody may know: the build's is internal (manual line 1255).
func (c *Config) shownVersion() string {
	if c.IsDevelopment() {
		return process.Version()
	}
	return opciones.VersionContrato
}

func oneOf(name, given string, allowed ...string) error {
	if !slices.Contains(allowed, given) {
		return fmt.Errorf("%s must be one of %s", name, strings.Join(allowed, ", "))
	}
	return nil
}

func (c *Config) plazos() seguimiento.Plazos {
	const day = 24 * time.Hour
	return seguimiento.Plazos{
		Silencio: time.Duration(c.SilentDays) * day, Caducidad: time.Duration(c.KeyExpiryDays) * day, Carga: c.CargaLimite,
	}
}

func positive(name string, ok bool) error {
	if !ok {
		return fmt.Errorf("%s must be greater than zero", name)
	}
	return nil
}
