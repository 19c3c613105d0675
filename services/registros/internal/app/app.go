// Package app assembles registros: it makes the parts, connects them, and starts and stops
// them in the right order. Nothing is decided here.
package app

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc"

	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/process/tracing"
	"github.com/enlace-iis/enlace/services/registros/internal/grpcapi"
	"github.com/enlace-iis/enlace/services/registros/internal/integracionclient"
	registrosjobs "github.com/enlace-iis/enlace/services/registros/internal/jobs"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
)

// Migrate brings the database to the newest schema.
func Migrate(ctx context.Context, cfg MigrateConfig) error {
	return pg.Migrate(ctx, cfg.DatabaseURL, postgres.Migrations)
}

// service is the running parts that others are made of.
type service struct {
	cfg         Config
	log         *slog.Logger
	db          *pg.DB
	ops         *process.Ops
	traces      *tracing.Tracing
	integracion *grpc.ClientConn
	store       *postgres.Store
}

// Serve starts the parts from the inside out. When ctx ends, no more jobs are taken and
// clients are told to go elsewhere; once the running calls and jobs have ended, the
// connections close. listener nil means to listen at the configured address.
func Serve(ctx context.Context, cfg Config, log *slog.Logger, listener net.Listener) (err error) {
	var cleanups process.Cleanups
	defer func() { err = process.FirstOf(err, cleanups.Run(cfg.StopLimit)) }()
	s := &service{cfg: cfg, log: log}
	s.traces, err = tracing.Start(ctx, "registros", cfg.Traces)
	if err != nil {
		return err
	}
	cleanups.Push("traces", s.traces.Stop)
	s.db, err = pg.Open(ctx, cfg.Database)
	if err != nil {
		return err
	}
	cleanups.Push("database", func(context.Context) error { s.db.Close(); return nil })
	s.ops, err = process.StartOps(cfg.OpsAddr, s.db.Ping)
	if err != nil {
		return err
	}
	cleanups.Push("operations port", s.ops.Stop)
	s.db.Measure(s.ops.Registry)
	s.ops.MeasureCertificate("service", cfg.Server.TLS.CertFile)
	s.integracion, err = s.dialIntegracion()
	if err != nil {
		return err
	}
	cleanups.Push("connection to integracion", func(context.Context) error { return s.integracion.Close() })
	err = s.startJobs(ctx, &cleanups)
	if err != nil {
		return err
	}
	server, err := s.newServer()
	if err != nil {
		return err
	}
	if listener == nil {
		listener, err = net.Listen("tcp", cfg.GRPCAddr)
		if err != nil {
			return fmt.Errorf("listen for calls: %w", err)
		}
	}
	s.ops.Accept()
	context.AfterFunc(ctx, s.ops.Drain)
	log.InfoContext(ctx, "serving", "addr", listener.Addr().String(), "version", process.Version())
	return server.Serve(ctx, listener)
}

func (s *service) dialIntegracion() (*grpc.ClientConn, error) {
	tokens, err := auth.NewServiceTokens(s.cfg.ServicioSecreto, auth.ServicioRegistros, auth.ServicioIntegracion)
	if err != nil {
		return nil, err
	}
	client := s.cfg.Client
	client.TLS = s.cfg.Server.TLS
	client.Credentials = tokens
	client.Metrics = s.ops.Registry
	client.Options = s.traces.DialOptions()
	client.Idempotent = integracionclient.Idempotent
	return rpc.Dial(s.cfg.IntegracionTarget, client)
}

// startJobs makes the Store and works its jobs. The Store enqueues on the very client that
// works, so that a new job starts at once.
func (s *service) startJobs(ctx context.Context, cleanups *process.Cleanups) error {
	queue := &postgres.RiverQueue{}
	s.store = postgres.NewStore(s.db, queue)
	s.store.Sample().Register(s.ops.Registry)
	client, err := jobs.NewClient(s.db, jobs.Config{
		Workers:    registrosjobs.NewWorkers(s.store, integracionclient.NewPlataforma(s.integracion), s.cfg.retencion(), s.ops.Registry),
		MaxWorkers: s.cfg.MaxWorkers,
		StopLimit:  s.cfg.StopLimit,
		Periodic:   registrosjobs.Periodic(s.cfg.retencion()),
		Log:        s.log,
		Tracing:    s.traces,
		Metrics:    s.ops.Registry,
	})
	if err != nil {
		return err
	}
	queue.Client = client
	err = client.Start(ctx)
	if err != nil {
		return fmt.Errorf("start jobs: %w", err)
	}
	cleanups.Push("jobs", func(ctx context.Context) error { return jobs.Stop(ctx, client) })
	cleanups.Background(ctx, "rescue of jobs", func(ctx context.Context) { jobs.Rescue(ctx, s.db, s.log) })
	return nil
}

func (s *service) newServer() (*rpc.Server, error) {
	tokens, err := auth.NewServiceVerifier(s.cfg.ServicioSecreto, auth.ServicioIntegracion, auth.ServicioRegistros)
	if err != nil {
		return nil, err
	}
	keys := s.cfg.Keys
	keys.Metrics = s.ops.Registry
	guard := &auth.Guard{
		Table:   grpcapi.Access,
		Keys:    auth.NewCachedVerifier(integracionclient.CheckApiKey(s.integracion), keys),
		Tokens:  tokens,
		Limiter: auth.NewRateLimiter(s.cfg.Limits),
		Shares:  auth.NewShares(s.cfg.Shares, s.db.MaxConns()),
	}
	server, err := rpc.NewServer(s.cfg.Server, rpc.ServerParts{
		Log: s.log, Metrics: s.ops.Registry, Ready: s.db.Ping, Layers: []rpc.Layer{guard.Layer},
		Options: s.traces.ServerOptions(),
	})
	if err != nil {
		return nil, err
	}
	received := grpcapi.NewMetrics(s.ops.Registry)
	accesov1.RegisterAccesoServiceServer(server, guard)
	registrosv1.RegisterRegistroServiceServer(server, &grpcapi.RegistroServer{Store: s.store, Now: time.Now, Metrics: received})
	registrosv1.RegisterCasoServiceServer(server, &grpcapi.CasoServer{Store: s.store})
	registrosv1.RegisterCapturaServiceServer(server, &grpcapi.CapturaServer{Store: s.store, Now: time.Now, Metrics: received})
	registrosv1.RegisterBusquedaServiceServer(server, &grpcapi.BusquedaServer{Store: s.store})
	registrosv1.RegisterOperacionServiceServer(server, &grpcapi.OperacionServer{Store: s.store})
	return server, grpcapi.Access.Covers(server.GetServiceInfo())
}
