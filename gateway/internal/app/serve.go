package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/gateway/internal/backend"
	"github.com/enlace-iis/enlace/gateway/internal/consola"
	"github.com/enlace-iis/enlace/gateway/internal/docs"
	"github.com/enlace-iis/enlace/gateway/internal/edge"
	"github.com/enlace-iis/enlace/gateway/internal/health"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/process/header"
	"github.com/enlace-iis/enlace/services/process/tracing"
)

// stopSlack is what the other parts have left to stop in, once the requests have ended.
const stopSlack = 5 * time.Second

var errNotListening = errors.New("the public port is not open yet")

// Serve answers requests until ctx ends. Then the probe says so and requests are still taken
// while balancers learn it, each answer ending its connection; after that no more are taken,
// the running ones are waited for, and last the connections behind them close.
func Serve(ctx context.Context, cfg Config, log *slog.Logger) (err error) {
	var cleanups process.Cleanups
	defer func() { err = process.FirstOf(err, cleanups.Run(cfg.StopLimit+stopSlack)) }()

	traces, err := tracing.Start(ctx, "gateway", cfg.Traces)
	if err != nil {
		return err
	}
	cleanups.Push("traces", traces.Stop)
	var listening atomic.Bool
	ops, err := startOps(cfg, &listening)
	if err != nil {
		return err
	}
	cleanups.Push("operations port", ops.Stop)
	handler, err := newEdge(cfg, log, ops, traces, &cleanups)
	if err != nil {
		return err
	}
	listener, err := listen(cfg, handler)
	if err != nil {
		return err
	}
	listening.Store(true)
	public := newPort(cfg, handler, listener, log)
	cleanups.Push("http server", public.stop)

	ops.Accept()
	go public.serve()
	log.InfoContext(ctx, "serving", "addr", listener.Addr().String(), "version", process.Version())
	select {
	case err = <-public.ended:
		return fmt.Errorf("serve http: %w", err)
	case <-ctx.Done():
	}
	ops.Drain()
	handler.Drain()
	return waitOrFail(cfg.StopDelay, public.ended)
}

// startOps opens the operations port. Once it listens the gateway can always do its work, which
// may be to say that a service is down. If it were not ready then, clients would get a
// balancer's error and not ours.
func startOps(cfg Config, listening *atomic.Bool) (*process.Ops, error) {
	ops, err := process.StartOps(cfg.OpsAddr, func(context.Context) error {
		if !listening.Load() {
			return errNotListening
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ops.MeasureCertificate("public", cfg.TLSCertFile)
	ops.MeasureCertificate("client", cfg.Services.CertFile)
	return ops, nil
}

// newEdge is what answers, connected with the services.
func newEdge(cfg Config, log *slog.Logger, ops *process.Ops, traces *tracing.Tracing, cleanups *process.Cleanups) (*edge.Edge, error) {
	conns, err := dial(cfg, traces, cleanups)
	if err != nil {
		return nil, err
	}
	locals, err := locals(cfg, conns)
	if err != nil {
		return nil, err
	}
	return edge.New(cfg.Edge, edge.Parts{
		Conns:   conns,
		Locals:  locals,
		Log:     log,
		Metrics: ops.Registry,
		Tracer:  traces.Tracer(),
	})
}

// locals are the routes that the gateway answers itself.
func locals(cfg Config, conns routes.Connections) ([]routes.Local, error) {
	documents, err := docs.Routes(docs.Config{
		Enabled:   cfg.documented(),
		PublicURL: cfg.Edge.PublicURL,
		RootPath:  cfg.Edge.RootPath,
	})
	if err != nil {
		return nil, err
	}
	pages, err := consola.Routes(cfg.ConsolaEnabled)
	if err != nil {
		return nil, err
	}
	state := health.New(conns[routes.Registros], conns[routes.Integracion])
	served := slices.Concat(documents, pages)
	return append(served, routes.Local{Pattern: "/health", Handler: state}, routes.Local{Pattern: "/i/{id_empresa}/health", Handler: state}), nil
}

// dial connects with both services; neither needs to be up.
func dial(cfg Config, traces *tracing.Tracing, cleanups *process.Cleanups) (routes.Connections, error) {
	options := traces.DialOptions()
	if !cfg.documented() {
		options = append(options, grpc.WithChainUnaryInterceptor(docs.Hide))
	}
	conns := routes.Connections{}
	for service, target := range map[routes.Service]string{
		routes.Registros:   cfg.RegistrosTarget,
		routes.Integracion: cfg.IntegracionTarget,
	} {
		own := slices.Clone(options)
		// Only integracion takes the gateway's word on anything.
		if service == routes.Integracion && len(cfg.GatewaySecret) > 0 {
			own = append(own, grpc.WithPerRPCCredentials(gatewaySecret(cfg.GatewaySecret[0])))
		}
		conn, err := backend.Dial(target, cfg.Services, own...)
		if err != nil {
			return nil, err
		}
		cleanups.Push("connection to "+target, func(context.Context) error { return conn.Close() })
		conns[service] = conn
	}
	return conns, nil
}

// gatewaySecret goes with every call of a connection.
type gatewaySecret string

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (s gatewaySecret) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{header.GatewaySecret: string(s)}, nil
}

// RequireTransportSecurity is false: where there is TLS, the gateway's certificate says who it is.
func (s gatewaySecret) RequireTransportSecurity() bool { return false }
