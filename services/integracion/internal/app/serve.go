package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	integracionjobs "github.com/enlace-iis/enlace/services/integracion/internal/jobs"
	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/integracion/internal/pui"
	"github.com/enlace-iis/enlace/services/integracion/internal/registrosclient"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/internal/assembly"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/removals"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/process"
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

// service is the running parts that others are made of.
type service struct {
	*assembly.Base

	cfg     Config
	secrets secrets
	store   *postgres.Store
	vuelos  *entregas.Vuelos
	// rechazos takes what calls are refused for, and the logins at the platform.
	rechazos *bitacora.Rechazos
	// lecturas takes what operators are shown.
	lecturas  *bitacora.Lecturas
	sincronia *reportes.Sincronia
	captura   *registrosclient.Captura
	queue     *postgres.RiverQueue
	// registros is the connection to it.
	registros grpc.ClientConnInterface
	// plataforma and circuito are what every call to the platform goes through, whatever
	// it is for.
	plataforma *pui.Client
	circuito   *entregas.MemoryCircuito
	// recuperadas takes the institutions for which the platform is back.
	recuperadas *process.Beside[tenant.EmpresaID]
}

// Serve starts the parts from the inside out. When ctx ends, no more jobs are taken and
// clients are told to go elsewhere; once the running calls and jobs have ended, the
// connections close. listener nil means to listen at the configured address.
func Serve(ctx context.Context, cfg Config, log *slog.Logger, listener net.Listener) (err error) {
	s := &service{cfg: cfg, Base: assembly.New(auth.ServicioIntegracion, cfg.Config, log)}
	defer func() { err = s.Stop(ctx, err) }()
	s.secrets, err = newSecrets(cfg.Storage)
	if err != nil {
		return err
	}
	err = s.Start(ctx, cfg.Database, postgres.Migrations, cfg.OpsAddr)
	if err != nil {
		return err
	}
	s.registros, err = s.Dial(auth.ServicioRegistros, cfg.RegistrosTarget, registrosclient.Idempotent)
	if err != nil {
		return err
	}
	s.plataforma = pui.NewClient(cfg.PuiTimeout, s.Ops.Registry)
	s.Cleanups.Push("connections to the platform", func(context.Context) error { s.plataforma.Close(); return nil })
	s.circuito = entregas.NewMemoryCircuito()
	measureCircuits(s.Ops.Registry, s.circuito)
	err = s.startJobs(ctx)
	if err != nil {
		return err
	}
	usos := process.NewBeside(s.touchApiKey)
	s.Cleanups.Background(ctx, "uses of keys", usos.Run)
	s.lecturas = bitacora.NewLecturas(s.store, log)
	// Until its turn to stop: calls are answered while they drain, too.
	s.Cleanups.Background(context.WithoutCancel(ctx), "reads of operators", s.lecturas.Run)
	server, err := s.newServer(usos.Tell)
	if err != nil {
		return err
	}
	return s.Serve(ctx, server, cfg.GRPCAddr, listener)
}

// startJobs makes the Store and works its jobs. The Store enqueues on the very client that
// works, so that a new job starts at once.
func (s *service) startJobs(ctx context.Context) (err error) {
	queue := &postgres.RiverQueue{}
	s.queue = queue
	s.store = postgres.NewStore(s.DB, queue, s.secrets.huellas)
	s.store.Removals, err = removals.Open(s.cfg.Removals)
	if err != nil {
		return err
	}
	s.Cleanups.Push("list of removals", func(context.Context) error { return s.store.Removals.Close() })
	if s.store.Removals == nil && !s.cfg.IsDevelopment() {
		s.Log.WarnContext(ctx, "REMOVALS_DIR is not set: a restoration brings back persons that were erased and secrets that were voided")
	}
	s.rechazos = bitacora.NewRechazos(s.store, s.Log)
	s.plataforma.Audit = s.rechazos.Record
	// Until its turn to stop, after the jobs: calls are refused while they drain, too.
	s.Cleanups.Background(context.WithoutCancel(ctx), "refusals", s.rechazos.Run)
	s.sincronia = &reportes.Sincronia{Reportes: s.store, Casos: registrosclient.NewCasos(s.registros)}
	s.vuelos = &entregas.Vuelos{Reportes: s.store, Interval: watchInterval, Log: s.Log}
	s.captura = registrosclient.NewCaptura(s.registros)
	queue.Client, err = s.NewJobs(jobs.Config{
		Patient: true,
		Workers: integracionjobs.NewWorkers(integracionjobs.Parts{
			Sincronia: s.sincronia,
			Resincronizacion: &resincronizacion.Resincronizacion{
				Store: s.store, Listado: s.plataforma, Circuito: s.circuito, Caja: s.secrets.caja,
				Log: s.Log,
			},
			FinishCarga: registrosclient.NewOperacion(s.registros).FinishCarga,
			Store:       s.store,
			DB:          s.DB,
			Queue:       queue,
			Ventana:     s.cfg.LoginFailureWindow,
			Comparacion: s.cfg.ResyncInterval,
			Retencion:   time.Duration(s.cfg.CaseRetention) * 24 * time.Hour,
			Metrics:     s.Ops.Registry,
		}),
	})
	if err != nil {
		return err
	}
	s.recuperadas = process.NewBeside(s.recoverEmpresa)
	s.circuito.Recovered = s.recuperadas.Tell
	err = s.StartJobs(ctx, queue.Client)
	if err != nil {
		return err
	}
	s.Cleanups.Background(ctx, "recovery from outages", s.recuperadas.Run)
	// What the platform sent while nothing ran here is on its list.
	return queue.ResyncAll(ctx)
}

// recoverEmpresa follows an outage: what waits is told at once, what is stuck too, and what the
// platform sent meanwhile may not have reached us. What fails is left to the pauses and schedules.
func (s *service) recoverEmpresa(ctx context.Context, empresa tenant.EmpresaID) {
	err := s.store.WakeEnvios(ctx, empresa)
	if err == nil {
		err = registrosclient.NewOperacion(s.registros).WakeEntregas(ctx, empresa)
	}
	_, unasked := s.queue.Resync(ctx, []tenant.EmpresaID{empresa})
	err = errors.Join(err, unasked)
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "what an outage held back waits for its time", "empresa_id", empresa, "error", err)
	}
}

// touchApiKey notes that a key was used. The next use of it tells the same.
func (s *service) touchApiKey(ctx context.Context, key cuentas.ApiKey) {
	err := s.store.TouchApiKey(ctx, key.EmpresaID, key.KeyID)
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "use of api key not recorded", "key_id", key.KeyID, "error", err)
	}
}

func (s *service) newServer(used func(cuentas.ApiKey)) (*rpc.Server, error) {
	servicios, err := s.servicios(used)
	if err != nil {
		return nil, err
	}
	server, err := s.NewServer(servicios.Reporte.Direccion.Layer, servicios.Acceso.Layer, servicios.Auditoria.Layer)
	if err != nil {
		return nil, err
	}
	servicios.Register(server)
	return server, nil
}
