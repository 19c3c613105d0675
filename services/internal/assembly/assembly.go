// Package assembly starts and stops what both services have around their own parts: the
// operations port, traces, the database, jobs, the connection to the other service, calls.
package assembly

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/process/tracing"
)

// Config is what both services read from the environment under the same names.
type Config struct {
	// MaxWorkers bounds the jobs that run at once on this replica. 0: 100 per core.
	MaxWorkers int `env:"JOBS_MAX_WORKERS" envDefault:"0"`
	// ServiceSecret signs the tokens between the two services: at least 32 bytes, the
	// same on both sides. Several joined by commas: the first signs, all are accepted.
	ServiceSecret auth.Secrets `env:"SERVICE_SECRET,required,notEmpty"`
	// StopLimit bounds the stop of all else once the calls have ended. Running jobs may
	// finish within three quarters of it from the SIGTERM on.
	StopLimit time.Duration `env:"STOP_LIMIT" envDefault:"20s"`

	Server rpc.ServerConfig
	Client rpc.ClientConfig
	Keys   auth.CacheConfig
	Limits auth.LimitConfig
	Shares auth.ShareConfig
	Traces tracing.Config
}

// Validate implements [process.Validator].
func (c *Config) Validate() error {
	return errors.Join(c.ServiceSecret.Check("SERVICE_SECRET"), c.Traces.Validate())
}

// NotNegative refuses a setting of that name that is below zero.
func NotNegative(name string, value int) error {
	if value < 0 {
		return fmt.Errorf("%s must not be negative", name)
	}
	return nil
}

// Base is the parts of a service that runs. Their order is what they are started in.
type Base struct {
	Log      *slog.Logger
	Cleanups process.Cleanups
	Traces   *tracing.Tracing
	DB       *pg.DB
	Ops      *process.Ops

	name  string
	cfg   Config
	ready func(ctx context.Context) error
}

// New makes a Base of the service with that name, of which nothing runs yet.
func New(name string, cfg Config, log *slog.Logger) *Base {
	return &Base{Log: log, name: name, cfg: cfg}
}

// Start starts the parts, of which those that did stay to be stopped if one does not. The
// service is ready once the database is migrated.
func (b *Base) Start(ctx context.Context, database pg.Config, migrations pg.Migrations, opsAddr string) (err error) {
	b.Traces, err = tracing.Start(ctx, b.name, b.cfg.Traces)
	if err != nil {
		return err
	}
	b.Cleanups.Push("traces", b.Traces.Stop)
	b.DB, err = pg.Open(ctx, database)
	if err != nil {
		return err
	}
	b.Cleanups.Push("database", func(context.Context) error { b.DB.Close(); return nil })
	b.ready, err = b.DB.ReadyFor(migrations)
	if err != nil {
		return err
	}
	b.Ops, err = process.StartOps(opsAddr, b.ready)
	if err != nil {
		return err
	}
	b.Cleanups.Push("operations port", b.Ops.Stop)
	b.DB.Measure(b.Ops.Registry)
	b.Ops.MeasureCertificate("service", b.cfg.Server.TLS.CertFile)
	return nil
}

// Stop stops what runs, newest first, and gives what ended the service: err, unless it is a
// start that failed because it was told to stop.
func (b *Base) Stop(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil
	}
	return process.FirstOf(err, b.Cleanups.Run(b.cfg.StopLimit))
}

// Dial connects with the other service, which need not be up.
func (b *Base) Dial(service, target string, idempotent []string) (*grpc.ClientConn, error) {
	tokens, err := auth.NewServiceTokens(b.cfg.ServiceSecret, b.name, service)
	if err != nil {
		return nil, err
	}
	client := b.cfg.Client
	client.TLS = b.cfg.Server.TLS
	client.Credentials = tokens
	client.Metrics = b.Ops.Registry
	client.Options = b.Traces.DialOptions()
	client.Idempotent = idempotent
	conn, err := rpc.Dial(target, client)
	if err != nil {
		return nil, err
	}
	b.Cleanups.Push("connection to "+service, func(context.Context) error { return conn.Close() })
	return conn, nil
}

// NewJobs makes the client that works jobs; only what is the service's own is to be given.
func (b *Base) NewJobs(cfg jobs.Config) (*jobs.Client, error) {
	cfg.MaxWorkers = b.cfg.MaxWorkers
	cfg.StopLimit = b.cfg.StopLimit
	cfg.Log = b.Log
	cfg.Tracing = b.Traces
	cfg.Metrics = b.Ops.Registry
	return jobs.NewClient(b.DB, cfg)
}

// StartJobs has the jobs worked, and those rescued whose worker died.
func (b *Base) StartJobs(ctx context.Context, client *jobs.Client) error {
	err := client.Start(ctx)
	if err != nil {
		return fmt.Errorf("start jobs: %w", err)
	}
	b.Cleanups.Push("jobs", func(ctx context.Context) error { return jobs.Stop(ctx, client) })
	b.Cleanups.Background(ctx, "rescue of jobs", func(ctx context.Context) { jobs.Rescue(ctx, b.DB, b.Log) })
	return nil
}

// NewGuard makes the access to the methods, as their protos say, with keys that check looks up.
func (b *Base) NewGuard(check auth.RemoteCheck) *auth.Guard {
	keys := b.cfg.Keys
	keys.Metrics = b.Ops.Registry
	return &auth.Guard{
		Table:   auth.DeclaredTable(),
		Keys:    auth.NewCachedVerifier(check, keys),
		Limiter: auth.NewRateLimiter(b.cfg.Limits),
		Shares:  auth.NewShares(b.cfg.Shares, b.DB.MaxConns()),
	}
}

// ServiceVerifier knows the tokens of the other service.
func (b *Base) ServiceVerifier(service string) (*auth.ServiceVerifier, error) {
	return auth.NewServiceVerifier(b.cfg.ServiceSecret, service, b.name)
}

// NewServer makes the server of the service's calls, which pass through layers.
func (b *Base) NewServer(layers ...rpc.Layer) (*rpc.Server, error) {
	return rpc.NewServer(b.cfg.Server, rpc.ServerParts{
		Log: b.Log, Metrics: b.Ops.Registry, Ready: b.ready, Layers: layers, Options: b.Traces.ServerOptions(),
	})
}

// Serve answers calls until ctx ends. listener nil means to listen at addr.
func (b *Base) Serve(ctx context.Context, server *rpc.Server, addr string, listener net.Listener) (err error) {
	if listener == nil {
		listener, err = net.Listen("tcp", addr)
		if err != nil {
			return fmt.Errorf("listen for calls: %w", err)
		}
	}
	b.Ops.Accept()
	context.AfterFunc(ctx, b.Ops.Drain)
	b.Log.InfoContext(ctx, "serving", "addr", listener.Addr().String(), "version", process.Version())
	return server.Serve(ctx, listener)
}
