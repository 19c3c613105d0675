package rpc

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"github.com/enlace-iis/enlace/proto/opciones"
	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/process/fair"
	"github.com/enlace-iis/enlace/services/process/grpcclient"
)

// pingMinimum bears what pings more often than our own clients do.
const pingMinimum = grpcclient.PingEvery / 3

const (
	// streamWindow bounds what a call holds before its request is received. Whoever receives
	// lets the rest of the message come at once, so that a large one takes no longer.
	streamWindow = 64 << 10
	// connWindow is only what is under way between two machines, and bounds no memory.
	connWindow = 1 << 20
	// maxStreams is how many calls one connection carries at once; others wait at the client.
	maxStreams = 1000
	// streamWorkers stay and keep their stacks, which a new goroutine would have to grow first;
	// calls beyond them get one of their own.
	streamWorkers = 32
)

// oldConnectionGrace is how much longer calls may go on after the age of their connection; a
// list that a slow client reads has to end within it.
const oldConnectionGrace = 5 * time.Minute

// readyTimeout bounds a look at readiness. A replica that is only busy stays in use: if all
// are, sending clients away from one after the other helps nobody.
const readyTimeout = 3 * time.Second

// ServerConfig is what an operator may set. The zero value serves plain text on
// connections of any age, and stops at once.
type ServerConfig struct {
	process.Installation
	// MaxConnectionAge makes clients connect again and so find new replicas, within about
	// this time. Zero: never.
	MaxConnectionAge time.Duration `env:"GRPC_MAX_CONNECTION_AGE" envDefault:"30s"`
	// HealthEvery is the time between two looks at readiness. Zero: 2 s.
	HealthEvery time.Duration `env:"GRPC_HEALTH_EVERY" envDefault:"2s"`
	// StopDelay is how long calls are still taken after the context of Serve has ended, while
	// clients learn from the health service, and balancers from /readyz, to go elsewhere.
	// Zero: none are.
	StopDelay time.Duration `env:"GRPC_STOP_DELAY" envDefault:"2s"`
	// StopLimit is how long running calls may go on after that; the rest is cut.
	StopLimit time.Duration `env:"GRPC_STOP_LIMIT" envDefault:"20s"`
	// TLS is shared with the clients of the same program.
	TLS TLSConfig
}

// ServerParts is what the program gives its server.
type ServerParts struct {
	// Log takes one line a call. Nil: the default logger.
	Log *slog.Logger
	// Metrics takes the server's metrics. Nil: none.
	Metrics prometheus.Registerer
	// Ready tells whether the service can do its work now, that is, reaches its database.
	// It is asked with the deadline [readyTimeout]. Nil: always.
	Ready func(context.Context) error
	// Layers wrap the handlers inside of our own layers, the first outermost.
	Layers []Layer
	// Options go to gRPC as they are, such as a stats handler for traces.
	Options []grpc.ServerOption
}

// Server is a gRPC server with health, and reflection in development. Register services,
// then call Serve once.
type Server struct {
	grpc    *grpc.Server
	health  *health.Server
	log     *slog.Logger
	metrics *metrics
	ready   func(context.Context) error
	layers  []Layer
	// arriving counts the calls of each address whose message has not arrived.
	arriving *fair.Gate

	healthEvery time.Duration
	stopDelay   time.Duration
	stopLimit   time.Duration

	stopOnce sync.Once
	stopping chan struct{}
}

// NewServer builds a server that serves nothing of ours yet.
func NewServer(cfg ServerConfig, parts ServerParts) (*Server, error) {
	s := &Server{
		health:      health.NewServer(),
		log:         parts.Log,
		ready:       parts.Ready,
		arriving:    fair.New(fair.Config{Capacity: maxArriving, Share: arrivingShare}),
		healthEvery: cfg.HealthEvery,
		stopDelay:   cfg.StopDelay,
		stopLimit:   cfg.StopLimit,
		stopping:    make(chan struct{}),
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	if s.healthEvery <= 0 {
		s.healthEvery = 2 * time.Second
	}
	var err error
	s.metrics, err = newMetrics(parts.Metrics, "server")
	if err != nil {
		return nil, err
	}
	options, err := cfg.options()
	if err != nil {
		return nil, fmt.Errorf("build grpc server: %w", err)
	}
	s.layers = append([]Layer{identify, s.recoverPanics, s.observe, mapErrors}, parts.Layers...)
	s.grpc = grpc.NewServer(append(append(options, grpc.InTapHandle(s.admit)), parts.Options...)...)
	s.health.SetServingStatus("", healthv1.HealthCheckResponse_NOT_SERVING)
	healthv1.RegisterHealthServer(s, s.health)
	if cfg.IsDevelopment() {
		reflection.Register(s)
	}
	return s, nil
}

func (c ServerConfig) options() ([]grpc.ServerOption, error) {
	err := c.TLS.Validate()
	if err != nil {
		return nil, err
	}
	transport, err := c.TLS.serverCredentials()
	if err != nil {
		return nil, err
	}
	return []grpc.ServerOption{
		grpc.Creds(transport),
		grpc.MaxRecvMsgSize(opciones.MaxMensaje), // more is received by layeredStream alone
		grpc.MaxSendMsgSize(grpcclient.MaxAnswer),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.NumStreamWorkers(streamWorkers),
		grpc.StaticStreamWindowSize(streamWindow),
		grpc.StaticConnWindowSize(connWindow),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionAge:      c.MaxConnectionAge,
			MaxConnectionAgeGrace: oldConnectionGrace,
			Time:                  grpcclient.PingEvery,
			Timeout:               grpcclient.PingTimeout,
		}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{
			MinTime:             pingMinimum,
			PermitWithoutStream: true,
		}),
	}, nil
}

// RegisterService makes the server a grpc.ServiceRegistrar, so that the generated
// functions take it.
func (s *Server) RegisterService(desc *grpc.ServiceDesc, impl any) {
	s.grpc.RegisterService(within(s.layers, desc), impl)
}

// GetServiceInfo lists what is registered, to compare with the access table.
func (s *Server) GetServiceInfo() map[string]grpc.ServiceInfo {
	return s.grpc.GetServiceInfo()
}

// Serve answers calls on listener until Stop is called, or until ctx ends; then it stops
// by itself: it tells clients to go elsewhere, goes on for the stop delay, and ends within
// the stop limit. It returns nil after a stop, once every call has ended or was cut.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	polling, stopPolling := context.WithCancel(ctx)
	var background sync.WaitGroup
	defer background.Wait()
	defer stopPolling()

	// The first look comes before the first call, or clients that watch health would find
	// a server that answers and yet refuses them.
	s.checkHealth(polling)
	background.Go(func() { s.watchHealth(polling) })

	release := context.AfterFunc(ctx, s.drain)
	defer release()
	err := s.grpc.Serve(listener)
	if err != nil {
		return fmt.Errorf("serve grpc: %w", err)
	}
	return nil
}

// drain lets the clients leave by themselves before it stops the server: whoever does not
// watch health would find the port closed before it has heard of another replica.
func (s *Server) drain() {
	s.health.Shutdown()
	select {
	case <-time.After(s.stopDelay):
	case <-s.stopping:
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.stopLimit)
	defer cancel()
	err := s.Stop(ctx)
	if err != nil {
		s.log.Warn("grpc server stopped by force", "error", err)
	}
}

// Stop tells clients to go elsewhere, refuses new calls, waits for the running ones while
// ctx lasts and cuts the rest, which it reports as an error. It may be called again, and
// while Serve is stopping by itself.
func (s *Server) Stop(ctx context.Context) error {
	s.health.Shutdown()
	s.stopOnce.Do(func() { close(s.stopping) })
	done := make(chan struct{})
	go func() {
		s.grpc.GracefulStop()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		// The handlers see their contexts end. Not waited for: one that pays no heed to
		// its context must not hold the process.
		s.grpc.Stop()
		return fmt.Errorf("stop grpc server: calls were cut: %w", ctx.Err())
	}
}
