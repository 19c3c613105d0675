package app

import (
	"context"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc"

	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/assembly"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/registros/internal/grpcapi"
	"github.com/enlace-iis/enlace/services/registros/internal/integracionclient"
	registrosjobs "github.com/enlace-iis/enlace/services/registros/internal/jobs"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
)

// service is the running parts that others are made of.
type service struct {
	*assembly.Base

	cfg         Config
	integracion *grpc.ClientConn
	store       *postgres.Store
	rechazos    *integracionclient.Rechazos
}

// Serve starts the parts from the inside out. When ctx ends, no more jobs are taken and
// clients are told to go elsewhere; once the running calls and jobs have ended, the
// connections close. listener nil means to listen at the configured address.
func Serve(ctx context.Context, cfg Config, log *slog.Logger, listener net.Listener) (err error) {
	s := &service{cfg: cfg, Base: assembly.New(auth.ServicioRegistros, cfg.Config, log)}
	defer func() { err = s.Stop(ctx, err) }()
	err = s.Start(ctx, cfg.Database, postgres.Migrations, cfg.OpsAddr)
	if err != nil {
		return err
	}
	s.integracion, err = s.Dial(auth.ServicioIntegracion, cfg.IntegracionTarget, integracionclient.Idempotent)
	if err != nil {
		return err
	}
	err = s.startJobs(ctx)
	if err != nil {
		return err
	}
	server, err := s.newServer()
	if err != nil {
		return err
	}
	return s.Serve(ctx, server, cfg.GRPCAddr, listener)
}

// startJobs makes the Store and works its jobs. The Store enqueues on the very client that
// works, so that a new job starts at once.
func (s *service) startJobs(ctx context.Context) (err error) {
	queue := &postgres.RiverQueue{}
	s.store = postgres.NewStore(s.DB, queue)
	s.store.Cuota = s.cfg.RecordQuota
	s.store.Sample().Register(s.Ops.Registry)
	// Until its turn to stop: records are written while calls drain, too.
	s.Cleanups.Background(context.WithoutCancel(ctx), "last writes", s.store.RunActividad)
	// Calls are refused while they drain, too.
	s.rechazos = integracionclient.NewRechazos(s.integracion, s.Log)
	s.Cleanups.Background(context.WithoutCancel(ctx), "refusals", s.rechazos.Run)
	queue.Client, err = s.NewJobs(jobs.Config{
		Workers: registrosjobs.NewWorkers(s.store, integracionclient.NewPlataforma(s.integracion), s.cfg.retencion(), s.Ops.Registry),
	})
	if err != nil {
		return err
	}
	return s.StartJobs(ctx, queue.Client)
}

func (s *service) newServer() (*rpc.Server, error) {
	guard := s.NewGuard(integracionclient.CheckApiKey(s.integracion))
	tokens, err := s.ServiceVerifier(auth.ServicioIntegracion)
	if err != nil {
		return nil, err
	}
	guard.Tokens = tokens
	guard.Verdicts = s.rechazos.Verdict
	server, err := s.NewServer(guard.Layer)
	if err != nil {
		return nil, err
	}
	received := grpcapi.NewMetrics(s.Ops.Registry)
	accesov1.RegisterAccesoServiceServer(server, guard)
	registrosv1.RegisterRegistroServiceServer(server, &grpcapi.RegistroServer{Store: s.store, Now: time.Now, Metrics: received})
	registrosv1.RegisterCasoServiceServer(server, &grpcapi.CasoServer{Store: s.store})
	registrosv1.RegisterCargaServiceServer(server, &grpcapi.CargaServer{Store: s.store})
	registrosv1.RegisterCapturaServiceServer(server, &grpcapi.CapturaServer{
		Store: s.store, Shares: guard.Shares, Now: time.Now, Metrics: received,
	})
	registrosv1.RegisterBusquedaServiceServer(server, &grpcapi.BusquedaServer{Store: s.store})
	registrosv1.RegisterOperacionServiceServer(server, &grpcapi.OperacionServer{Store: s.store})
	return server, nil
}
