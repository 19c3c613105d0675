package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/eventos"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"

	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/services/integracion/internal/firma"
	"github.com/enlace-iis/enlace/services/integracion/internal/grpcapi"
	integracionjobs "github.com/enlace-iis/enlace/services/integracion/internal/jobs"
	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/integracion/internal/pui"
	"github.com/enlace-iis/enlace/services/integracion/internal/registrosclient"
	"github.com/enlace-iis/enlace/services/integracion/internal/tokens"
	"github.com/enlace-iis/enlace/services/integracion/internal/totp"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/process/tracing"
)

const (
	// deactivationMargin is how much longer than one attempt a deactivation waits for it:
	// the time in which its end is written down.
	deactivationMargin = time.Second
	// sendsInterval is between two looks of a deactivation at the sends under way.
	sendsInterval = 20 * time.Millisecond
	// watchInterval is between two looks of a send at its Reporte.
	watchInterval = 250 * time.Millisecond
)

// Migrate brings the database to the newest schema.
func Migrate(ctx context.Context, cfg MigrateConfig) error {
	return pg.Migrate(ctx, cfg.DatabaseURL, postgres.Migrations)
}

// service is the running parts that others are made of.
type service struct {
	cfg     Config
	log     *slog.Logger
	secrets secrets
	db      *pg.DB
	ops     *process.Ops
	traces  *tracing.Tracing
	store   *postgres.Store
	vuelos  *entregas.Vuelos
	// rechazos takes what calls are refused for.
	rechazos  *bitacora.Rechazos
	sincronia *reportes.Sincronia
	captura   *registrosclient.Captura
	// plataforma and circuito are what every call to the platform goes through, whatever
	// it is for.
	plataforma *pui.Client
	circuito   *entregas.MemoryCircuito
}

// Serve starts the parts from the inside out. When ctx ends, no more jobs are taken and
// clients are told to go elsewhere; once the running calls and jobs have ended, the
// connections close. listener nil means to listen at the configured address.
func Serve(ctx context.Context, cfg Config, log *slog.Logger, listener net.Listener) (err error) {
	var cleanups process.Cleanups
	defer func() { err = process.FirstOf(unlessStopped(ctx, err), cleanups.Run(cfg.StopLimit)) }()
	s := &service{cfg: cfg, log: log}
	s.secrets, err = newSecrets(cfg.Storage)
	if err != nil {
		return err
	}
	s.traces, err = tracing.Start(ctx, "integracion", cfg.Traces)
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
	registros, err := s.dialRegistros()
	if err != nil {
		return err
	}
	cleanups.Push("connection to registros", func(context.Context) error { return registros.Close() })
	s.plataforma = pui.NewClient(cfg.PuiTimeout, s.ops.Registry)
	cleanups.Push("connections to the platform", func(context.Context) error { s.plataforma.Close(); return nil })
	s.circuito = entregas.NewMemoryCircuito()
	measureCircuits(s.ops.Registry, s.circuito)
	err = s.startJobs(ctx, registros, &cleanups)
	if err != nil {
		return err
	}
	usos := cuentas.NewUsoRecorder(s.store, log)
	cleanups.Background(ctx, "uses of keys", usos.Run)
	s.rechazos = bitacora.NewRechazos(s.store, log)
	// Until its turn to stop: calls are refused while they drain, too.
	cleanups.Background(context.WithoutCancel(ctx), "refusals", s.rechazos.Run)
	server, err := s.newServer(usos)
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

// unlessStopped forgives a start that failed because it was told to stop.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (s *service) dialRegistros() (*grpc.ClientConn, error) {
	serviceTokens, err := auth.NewServiceTokens(s.cfg.ServicioSecreto, auth.ServicioIntegracion, auth.ServicioRegistros)
	if err != nil {
		return nil, err
	}
	client := s.cfg.Client
	client.TLS = s.cfg.Server.TLS
	client.Credentials = serviceTokens
	client.Metrics = s.ops.Registry
	client.Options = s.traces.DialOptions()
	client.Idempotent = registrosclient.Idempotent
	return rpc.Dial(s.cfg.RegistrosTarget, client)
}

// startJobs makes the Store and works its jobs. The Store enqueues on the very client that
// works, so that a new job starts at once.
func (s *service) startJobs(ctx context.Context, registros grpc.ClientConnInterface, cleanups *process.Cleanups) error {
	queue := &postgres.RiverQueue{}
	s.store = postgres.NewStore(s.db, queue, s.secrets.huellas)
	s.sincronia = &reportes.Sincronia{Reportes: s.store, Casos: registrosclient.NewCasos(registros)}
	s.vuelos = &entregas.Vuelos{Reportes: s.store, Interval: watchInterval, Log: s.log}
	s.captura = registrosclient.NewCaptura(registros)
	client, err := jobs.NewClient(s.db, jobs.Config{
		Workers: integracionjobs.NewWorkers(integracionjobs.Parts{
			Sincronia: s.sincronia,
			Resincronizacion: &resincronizacion.Resincronizacion{
				Store: s.store, Listado: s.plataforma, Circuito: s.circuito, Caja: s.secrets.caja,
				Log: s.log,
			},
			Store:     s.store,
			DB:        s.db,
			Queue:     queue,
			Ventana:   s.cfg.LoginFailureWindow,
			Retencion: s.cfg.retencion(),
			Metrics:   s.ops.Registry,
		}),
		MaxWorkers: s.cfg.MaxWorkers,
		StopLimit:  s.cfg.StopLimit,
		Periodic:   integracionjobs.Periodic(s.cfg.ResincronizacionCada, s.cfg.retencion()),
		Log:        s.log,
		Tracing:    s.traces,
		Metrics:    s.ops.Registry,
	})
	if err != nil {
		return err
	}
	queue.Client = client
	recuperaciones := integracionjobs.NewRecuperaciones(queue, s.log)
	s.circuito.Recovered = recuperaciones.Recovered
	err = client.Start(ctx)
	if err != nil {
		return fmt.Errorf("start jobs: %w", err)
	}
	cleanups.Push("jobs", func(ctx context.Context) error { return jobs.Stop(ctx, client) })
	cleanups.Background(ctx, "resynchronisation after outages", recuperaciones.Run)
	// What the platform sent while nothing ran here is on its list.
	err = queue.ResincronizarTodas(ctx)
	if err != nil {
		return err
	}
	cleanups.Background(ctx, "rescue of jobs", func(ctx context.Context) { jobs.Rescue(ctx, s.db, s.log) })
	return nil
}

func (s *service) newServer(usos cuentas.Usos) (*rpc.Server, error) {
	servicios, err := s.servicios(usos)
	if err != nil {
		return nil, err
	}
	direccion := grpcapi.Direccion{Empresas: s.store}
	server, err := rpc.NewServer(s.cfg.Server, rpc.ServerParts{
		Log: s.log, Metrics: s.ops.Registry, Ready: s.db.Ping, Layers: []rpc.Layer{direccion.Layer, servicios.Acceso.Layer, servicios.Auditoria.Layer},
		Options: s.traces.ServerOptions(),
	})
	if err != nil {
		return nil, err
	}
	servicios.Register(server)
	return server, grpcapi.Access.Covers(server.GetServiceInfo())
}

func (s *service) servicios(usos cuentas.Usos) (grpcapi.Servicios, error) {
	signer := tokens.New(s.cfg.JWTSecreto, time.Now)
	sesiones := cuentas.NewSesiones(cuentas.SesionesConfig{
		Store: s.store, Empresas: s.store, Usuarios: s.store,
		Hasher: s.secrets.hasher, Huellas: s.secrets.huellas, Tokens: signer,
		Caja: s.secrets.caja, Codigos: totp.Codigos{}, Now: time.Now,
		Limite: cuentas.LimiteLogin{Intentos: s.cfg.LoginMaxFailures, Ventana: s.cfg.LoginFailureWindow},
	})
	keys := &cuentas.ApiKeys{
		Store: s.store, Empresas: s.store, Caja: s.secrets.caja,
		Mint: mint(s.cfg.AppEnv), Usos: usos, Now: time.Now,
	}
	guard, err := s.guard(signer, sesiones, keys)
	if err != nil {
		return grpcapi.Servicios{}, err
	}
	auditoria := &grpcapi.Auditoria{Store: s.store, Rechazos: s.rechazos, Usuarios: sesiones, Huellas: s.secrets.huellas, Log: s.log}
	guard.Verdicts = auditoria.Verdict
	measured := grpcapi.NewMetrics(s.ops.Registry)
	return grpcapi.Servicios{
		Acceso:    guard,
		Auditoria: auditoria,
		Inicio:    &grpcapi.Inicio{Version: process.Version()},
		Sesion: &grpcapi.Sesion{
			Sesiones: sesiones, Auditoria: auditoria, Gateways: s.cfg.GatewayRedes, Metrics: measured,
		},
		Reporte: &grpcapi.Reporte{Empresas: s.store, Auditoria: auditoria, Reportes: &reportes.Reportes{
			Store: s.store, Sends: s.vuelos, Casos: s.sincronia, Log: s.log,
			MaxWait: s.cfg.PuiTimeout + deactivationMargin, Interval: sendsInterval,
		}},
		Aviso:  &grpcapi.Aviso{Avisos: s.store},
		ApiKey: &grpcapi.ApiKey{Keys: keys},
		Evento: &grpcapi.Evento{Metrics: measured, Eventos: &eventos.Eventos{
			Store: s.store, Keys: keys, Firmas: firma.StandardWebhooks{}, Huellas: s.secrets.huellas, Captura: s.captura,
		}},
		Credencial: &grpcapi.Credencial{Keys: keys},
		Entrega: &grpcapi.Entrega{Entregas: &entregas.Entregas{
			Store: s.store, Plataforma: s.plataforma, Circuito: s.circuito,
			Caja: s.secrets.caja, Vuelos: s.vuelos, Limit: s.cfg.PuiTimeout, Log: s.log,
		}},
	}, nil
}

func (s *service) guard(signer *tokens.Tokens, sesiones *cuentas.Sesiones, keys *cuentas.ApiKeys) (*auth.Guard, error) {
	fromRegistros, err := auth.NewServiceVerifier(s.cfg.ServicioSecreto, auth.ServicioRegistros, auth.ServicioIntegracion)
	if err != nil {
		return nil, err
	}
	remember := s.cfg.Keys
	remember.Metrics = s.ops.Registry
	return &auth.Guard{
		Table: grpcapi.Access,
		Keys:  auth.NewCachedVerifier(grpcapi.CheckKey(keys), remember),
		Tokens: auth.ByIssuer{
			tokens.Issuer:          &grpcapi.TokenVerifier{Tokens: signer, Sesiones: sesiones},
			auth.ServicioRegistros: fromRegistros,
		},
		Restrict: grpcapi.OnlyOwnDireccion,
		Limiter:  auth.NewRateLimiter(s.cfg.Limits),
		Shares:   auth.NewShares(s.cfg.Shares, s.db.MaxConns()),
	}, nil
}
