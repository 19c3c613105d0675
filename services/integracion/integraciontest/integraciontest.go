// Package integraciontest gives Go tests of other packages the real integracion service,
// in this process, on a loopback port and with a database of the test's own.
package integraciontest

import (
	"cmp"
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/integracion/internal/secreto/secretotest"
	"github.com/enlace-iis/enlace/services/internal/assembly"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/process"
)

// Migrations is the schema, for tests that look at the database.
var Migrations = postgres.Migrations

// ServiceSecret is the secret between the two services in tests.
const ServiceSecret = "service-secret-of-tests-only-32-bytes"

// GatewaySecret is by what a test is taken for a gateway.
const GatewaySecret = "gateway-secret-of-tests-only-32-bytes"

// stopLimit bounds the stop at the end of a test.
const stopLimit = 10 * time.Second

// Options is what a test may want to be different. The zero value is a service with no
// registros behind it.
type Options struct {
	// Listener is where it serves, for a peer that must know the address first. Nil: a port
	// of its own.
	Listener net.Listener
	// RegistrosTarget is the gRPC target of registros.
	RegistrosTarget string
	// PuiTimeout bounds one attempt to tell the platform something. Zero: 5 s.
	PuiTimeout time.Duration
	// LoginMaxFailures and LoginFailureWindow are the limits of wrong logins. Zero: 10 in 15 min.
	LoginMaxFailures   int
	LoginFailureWindow time.Duration
	// EncryptionKeys are those of the service. Empty: one for all tests of a process.
	EncryptionKeys string
	// SecondFactor is "required" or "optional" for operators. Empty: optional.
	SecondFactor string
	// ResyncInterval is between two comparisons with the platform's list. Zero: 15 min.
	ResyncInterval time.Duration
	// StuckAnswers and StuckAfter make a step a stuck one. Zero: 10 and 1 h.
	StuckAnswers int
	StuckAfter   time.Duration
	// Database is used instead of one of the test's own, so that several replicas share it.
	Database *pgtest.Database
	// Log takes the service's log. Nil: none.
	Log *slog.Logger
}

// Servicio is a running integracion.
type Servicio struct {
	// Target is its gRPC target.
	Target string
	// Database is what it works on.
	Database pgtest.Database

	tb       testing.TB
	operador *app.Operador
	stop     func()
}

// Start runs the service until the test ends.
func Start(tb testing.TB, options Options) *Servicio {
	tb.Helper()
	database := databaseOf(tb, options)
	cfg := config(options, database)
	listener := options.Listener
	if listener == nil {
		listener = Listen(tb)
	}
	log := options.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() {
		defer func() { _ = listener.Close() }() // closed already unless the start failed
		stopped <- app.Serve(ctx, cfg, log, listener)
	}()
	stop := sync.OnceFunc(func() {
		cancel()
		err := <-stopped
		if err != nil {
			tb.Errorf("integracion: %v", err)
		}
	})
	tb.Cleanup(stop)
	operador, err := app.OpenOperador(ctx, cfg.Storage)
	if err != nil {
		tb.Fatalf("open operator: %v", err)
	}
	tb.Cleanup(operador.Close)
	return &Servicio{Target: listener.Addr().String(), Database: database, tb: tb, operador: operador, stop: stop}
}

// Setenv gives this process the settings with which the operator's commands reach the
// service and its database.
func (s *Servicio) Setenv(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{
		"APP_ENV": ambiente, "ENCRYPTION_KEYS": cifrado, "HASH_SECRET": hashSecret,
		"DATABASE_URL": s.Database.AppURL, "INTEGRACION_TARGET": s.Target,
	} {
		t.Setenv(name, value)
	}
}

// Stop ends the service before the test does.
func (s *Servicio) Stop() { s.stop() }

// Listen takes a loopback port.
func Listen(tb testing.TB) net.Listener {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("listen: %v", err)
	}
	return listener
}

func databaseOf(tb testing.TB, options Options) pgtest.Database {
	tb.Helper()
	if options.Database != nil {
		return *options.Database
	}
	return pgtest.New(tb, Migrations)
}

// cifrado is one key for all tests of a process, so that replicas can share a database.
var cifrado = secretotest.NewKey("prueba")

// llaveEvidencia signs the evidence of tests.
var llaveEvidencia = base64.StdEncoding.EncodeToString([]byte("evidence-key-of-tests-32-bytes!!"))

const (
	ambiente   = "development"
	hashSecret = "keyed-hash-secret-of-tests-32-bytes!"
)

var jwtSecret = auth.Secrets{"jwt-secret-of-tests-only-at-least-32-bytes"}

func config(options Options, database pgtest.Database) app.Config {
	cfg := app.Config{
		Storage: app.Storage{
			Installation:   process.Installation{AppEnv: ambiente},
			Database:       pg.Config{URL: database.AppURL},
			EncryptionKeys: cmp.Or(options.EncryptionKeys, cifrado),
			HashSecret:     hashSecret,
		},
		OpsAddr:            "127.0.0.1:0",
		RegistrosTarget:    options.RegistrosTarget,
		EvidenceKeys:       []string{llaveEvidencia},
		JWTSecret:          jwtSecret,
		LoginMaxFailures:   options.LoginMaxFailures,
		LoginFailureWindow: options.LoginFailureWindow,
		GatewaySecret:      auth.Secrets{GatewaySecret},
		PuiTimeout:         options.PuiTimeout,
		SecondFactor:       cmp.Or(options.SecondFactor, "optional"),
		SilentDays:         7,
		KeyExpiryDays:      30,
		CargaLimite:        720 * time.Hour,

		StuckAnswers:   cmp.Or(options.StuckAnswers, 10),
		StuckAfter:     cmp.Or(options.StuckAfter, time.Hour),
		ResyncInterval: cmp.Or(options.ResyncInterval, 15*time.Minute),

		Config: assembly.Config{
			ServiceSecret: auth.Secrets{ServiceSecret},
			StopLimit:     stopLimit,
			Server:        rpc.ServerConfig{Installation: process.Installation{AppEnv: "development"}, StopLimit: stopLimit},
		},
	}
	if cfg.RegistrosTarget == "" {
		// Nobody listens there; what is to be told to registros waits.
		cfg.RegistrosTarget = "passthrough:///127.0.0.1:1"
	}
	if cfg.LoginMaxFailures == 0 {
		cfg.LoginMaxFailures = 10
	}
	if cfg.LoginFailureWindow == 0 {
		cfg.LoginFailureWindow = 15 * time.Minute
	}
	if cfg.PuiTimeout == 0 {
		cfg.PuiTimeout = 5 * time.Second
	}
	return cfg
}

// Dial connects without credentials, as an institution or the gateway does.
func (s *Servicio) Dial() *grpc.ClientConn {
	s.tb.Helper()
	return s.dial(rpc.ClientConfig{})
}

// DialAsRegistros connects as the other service.
func (s *Servicio) DialAsRegistros() *grpc.ClientConn {
	s.tb.Helper()
	tokens, err := auth.NewServiceTokens(auth.Secrets{ServiceSecret}, auth.ServicioRegistros, auth.ServicioIntegracion)
	s.must("make service tokens", err)
	return s.dial(rpc.ClientConfig{Credentials: tokens})
}

func (s *Servicio) dial(cfg rpc.ClientConfig) *grpc.ClientConn {
	s.tb.Helper()
	cfg.Deadline = patience
	conn, err := rpc.Dial(s.Target, cfg)
	s.must("dial", err)
	// At the end of a test nothing is lost by a connection that does not close.
	s.tb.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Login gives a token for a user at the root.
func (s *Servicio) Login(usuario, clave string) (token string) {
	s.tb.Helper()
	answer, err := integracionv1.NewSesionServiceClient(s.Dial()).Login(context.Background(), &integracionv1.LoginRequest{
		Credenciales: &integracionv1.Credenciales{Usuario: usuario, Clave: clave},
	})
	s.must("log in", err)
	return answer.GetToken()
}

// Logger writes a service's log to w, for tests that read it.
func Logger(w io.Writer) *slog.Logger {
	return process.NewLogger(w, "integracion", "debug")
}
