package app

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/enlace-iis/enlace/gateway/internal/backend"
	"github.com/enlace-iis/enlace/gateway/internal/edge"
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
	Services backend.TLS

	// Traces is what is told of requests to a collector.
	Traces tracing.Config

	// PublicURL is where clients find the service; the types of problems start with it.
	PublicURL string `env:"PUBLIC_URL" envDefault:"http://localhost:8080"`
	// RootPath is the public prefix of a proxy in front, such as "/enlace". Requests work
	// with the prefix on or stripped. Empty: none.
	RootPath string `env:"ROOT_PATH"`
	// AppEnv "development" turns the documentation routes on, as DocsEnabled does anywhere.
	AppEnv      string `env:"APP_ENV" envDefault:"production"`
	DocsEnabled bool   `env:"DOCS_ENABLED"`
	// ConsolaEnabled serves the console, /consola: static pages over the public routes.
	ConsolaEnabled bool `env:"CONSOLA_ENABLED" envDefault:"true"`

	// TLSCertFile and TLSKeyFile make the public port speak TLS, 1.2 or later. They are
	// read again when they change. Empty: plain HTTP, for a proxy in front.
	TLSCertFile string `env:"TLS_CERT_FILE"`
	TLSKeyFile  string `env:"TLS_KEY_FILE"`
	// TrustedProxies are the networks, "10.0.0.0/8,…", whose X-Forwarded-For and
	// X-Forwarded-Proto are believed. Empty: none.
	TrustedProxies []netip.Prefix `env:"TRUSTED_PROXIES"`
	// CORSOrigins are the origins whose pages may read answers, "https://a.example,…".
	// Empty: no CORS. "*" is refused.
	CORSOrigins []string `env:"CORS_ORIGINS"`

	// RateLimit is how many requests a second one address may send, RateBurst how many at
	// once after a silence (at least RateLimit). A guard against floods; zero: none.
	RateLimit int `env:"RATE_LIMIT" envDefault:"1000"`
	RateBurst int `env:"RATE_BURST" envDefault:"2000"`

	// MaxBodyBytes is how many bytes of request bodies are in hand at once, decompressed; who
	// would exceed it waits for a turn of a few seconds at most. Memory grows to three times as
	// much, or six where the answers are larger than the bodies: it belongs to GOMEMLIMIT.
	MaxBodyBytes int64 `env:"MAX_BODY_BYTES" envDefault:"67108864"`
	// EmpresaMaxBatches is how many batches of more than 128 KiB one institution may have at
	// work at once, EmpresaMaxBatchBytes how many bytes of bodies, each on every replica.
	EmpresaMaxBatches    int   `env:"EMPRESA_MAX_BATCHES" envDefault:"4"`
	EmpresaMaxBatchBytes int64 `env:"EMPRESA_MAX_BATCH_BYTES" envDefault:"33554432"`

	// MaxLists is how many lists are being sent at once, each half a MiB of memory; who would
	// exceed it waits for a turn of a few seconds at most.
	MaxLists int `env:"MAX_LISTS" envDefault:"128"`

	// Timeout bounds an ordinary call and the wait for the beginning of a list, TimeoutBatch
	// a call with records, TimeoutList a list as a whole.
	Timeout      time.Duration `env:"TIMEOUT" envDefault:"15s"`
	TimeoutBatch time.Duration `env:"TIMEOUT_BATCH" envDefault:"60s"`
	TimeoutList  time.Duration `env:"TIMEOUT_LIST" envDefault:"15m"`
	// TimeoutBody bounds the reading of a body, TimeoutWrite one write of a list: a
	// reader that stops reading for so long is cut.
	TimeoutBody  time.Duration `env:"TIMEOUT_BODY" envDefault:"60s"`
	TimeoutWrite time.Duration `env:"TIMEOUT_WRITE" envDefault:"60s"`

	// StopDelay is how long requests are still taken after a SIGTERM, while balancers learn
	// from /readyz not to send any; longer than they take to notice. Zero: none are.
	StopDelay time.Duration `env:"STOP_DELAY" envDefault:"5s"`
	// StopLimit is how long running requests may go on after that; the rest is cut.
	StopLimit time.Duration `env:"STOP_LIMIT" envDefault:"20s"`
}

// Validate implements [process.Validator].
func (c *Config) Validate() error {
	problems := []error{c.Services.Validate(), c.Traces.Validate()}
	if (c.TLSCertFile == "") != (c.TLSKeyFile == "") {
		problems = append(problems, errors.New("TLS_CERT_FILE and TLS_KEY_FILE go together"))
	}
	if !isRootPath(c.RootPath) {
		problems = append(problems, errors.New("ROOT_PATH looks like /enlace, without a slash at the end"))
	}
	if !isBaseURL(c.PublicURL) {
		problems = append(problems, errors.New("PUBLIC_URL looks like https://enlace.example; the path belongs to ROOT_PATH"))
	}
	for _, origin := range c.CORSOrigins {
		err := edge.CheckOrigin(origin)
		if err != nil {
			problems = append(problems, fmt.Errorf("CORS_ORIGINS: %w", err))
		}
	}
	if c.RateLimit < 0 || c.RateBurst < 0 {
		problems = append(problems, errors.New("RATE_LIMIT and RATE_BURST are not negative"))
	}
	if c.EmpresaMaxBatches < 1 || c.EmpresaMaxBatchBytes < largestBody || c.MaxBodyBytes < c.EmpresaMaxBatchBytes {
		problems = append(problems, errors.New("EMPRESA_MAX_BATCHES is at least 1, and EMPRESA_MAX_BATCH_BYTES "+
			"between the largest body, 16777216, and MAX_BODY_BYTES"))
	}
	if c.MaxLists < 1 {
		problems = append(problems, errors.New("MAX_LISTS is at least 1"))
	}
	if min(c.Timeout, c.TimeoutBatch, c.TimeoutList, c.TimeoutBody, c.TimeoutWrite) <= 0 {
		problems = append(problems, errors.New("TIMEOUT and TIMEOUT_* are positive"))
	}
	return errors.Join(problems...)
}

// largestBody is the limit of contract.md section 2: with a smaller share it would never be
// admitted.
const largestBody = 16 << 20

var rootPath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`)

func isRootPath(path string) bool {
	return rootPath.MatchString(path) && !strings.Contains(path, "/.")
}

func isBaseURL(base string) bool {
	parsed, err := url.Parse(base)
	return err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https") &&
		parsed.Host != "" && base == parsed.Scheme+"://"+parsed.Host
}

// edge is the part of the settings that the public handler needs.
func (c *Config) edge() edge.Config {
	return edge.Config{
		RootPath:       c.RootPath,
		PublicURL:      c.PublicURL,
		CORSOrigins:    c.CORSOrigins,
		TrustedProxies: c.TrustedProxies,
		RatePerSecond:  c.RateLimit,
		RateBurst:      c.RateBurst,

		MaxBodyBytes:         c.MaxBodyBytes,
		EmpresaMaxBatches:    c.EmpresaMaxBatches,
		EmpresaMaxBatchBytes: c.EmpresaMaxBatchBytes,
		MaxLists:             c.MaxLists,

		Timeout:      c.Timeout,
		BatchTimeout: c.TimeoutBatch,
		ListTimeout:  c.TimeoutList,
		BodyTimeout:  c.TimeoutBody,
		WriteTimeout: c.TimeoutWrite,
	}
}

// documented tells whether the documentation routes are on.
func (c Config) documented() bool { return c.DocsEnabled || c.AppEnv == "development" }
