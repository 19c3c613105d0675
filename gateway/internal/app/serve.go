// Package app assembles the gateway: it makes the parts and connects them. Nothing is decided here.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/gateway/internal/consola"
	"github.com/enlace-iis/enlace/gateway/internal/docs"
	"github.com/enlace-iis/enlace/gateway/internal/edge"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/process/certs"
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
	// Once the port is open the gateway can always do its work, which may be to say that a service
	// is down. If it were not ready then, clients would get a balancer's error and not ours.
	var listening atomic.Bool
	ops, err := process.StartOps(cfg.OpsAddr, func(context.Context) error {
		if !listening.Load() {
			return errNotListening
		}
		return nil
	})
	if err != nil {
		return err
	}
	cleanups.Push("operations port", ops.Stop)
	ops.MeasureCertificate("public", cfg.TLSCertFile)
	ops.MeasureCertificate("client", cfg.Services.CertFile)
	handler, err := newEdge(cfg, log, ops, traces, &cleanups)
	if err != nil {
		return err
	}
	server := edge.NewServer(handler, log)
	if cfg.TLSCertFile != "" {
		server.TLSConfig, err = certs.Public(cfg.TLSCertFile, cfg.TLSKeyFile)
		if err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", cfg.HTTPAddr)
	if err != nil {
		return fmt.Errorf("listen for requests: %w", err)
	}
	listening.Store(true)
	cleanups.Push("http server", func(ctx context.Context) error { return stop(ctx, server, cfg.StopLimit, log) })
	ended := make(chan error, 1)
	ops.Accept()
	go func() { ended <- serve(server, listener) }()
	log.InfoContext(ctx, "serving", "addr", listener.Addr().String(), "version", process.Version())

	delay := make(<-chan time.Time)
	done := ctx.Done()
	for {
		select {
		case err = <-ended:
			return fmt.Errorf("serve http: %w", err)
		case <-done:
			ops.Drain()
			handler.Drain()
			done, delay = nil, time.After(cfg.StopDelay)
		case <-delay:
			return nil
		}
	}
}

func serve(server *http.Server, listener net.Listener) error {
	if server.TLSConfig != nil {
		return server.ServeTLS(listener, "", "")
	}
	return server.Serve(listener)
}

// stop takes no more connections, waits for the requests of those that there are, and cuts what
// takes longer than the limit: a list can be read as slowly as its reader likes.
func stop(ctx context.Context, server *http.Server, limit time.Duration, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn("requests were cut at the stop limit")
		return server.Close()
	}
	return err
}

// newEdge is what answers, connected with the services.
func newEdge(cfg Config, log *slog.Logger, ops *process.Ops, traces *tracing.Tracing, cleanups *process.Cleanups) (*edge.Edge, error) {
	conns, err := dial(cfg, traces, cleanups)
	if err != nil {
		return nil, err
	}
	documents, err := docs.Routes(docs.Config{Enabled: cfg.documented(), PublicURL: cfg.Edge.PublicURL, RootPath: cfg.Edge.RootPath})
	if err != nil {
		return nil, err
	}
	pages, err := consola.Routes(cfg.ConsolaEnabled)
	if err != nil {
		return nil, err
	}
	state := routes.Health(conns[routes.Registros], conns[routes.Integracion])
	locals := append(slices.Concat(documents, pages),
		routes.Local{Pattern: "/health", Handler: state}, routes.Local{Pattern: "/i/{id_empresa}/health", Handler: state})
	return edge.New(cfg.Edge, edge.Parts{Conns: conns, Locals: locals, Log: log, Metrics: ops.Registry, Tracer: traces.Tracer()})
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
		conn, err := routes.Dial(target, cfg.Services, own...)
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
