package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// readyTimeout bounds a readiness probe; an orchestrator's own default is one second.
const readyTimeout = time.Second

// Ops is the operations port of a program: metrics, probes and profiles. It must never be
// reachable from outside.
type Ops struct {
	// Registry takes the program's metrics.
	Registry *prometheus.Registry

	server    *http.Server
	accepting atomic.Bool
}

// StartOps listens at addr and serves until [Ops.Stop]. ready tells whether the program
// can do its work now; it is asked with a deadline of one second, from [Ops.Accept] on.
//
//	/metrics      Prometheus
//	/livez        200 while the process runs
//	/readyz       200 when ready, 503 otherwise, while starting and while draining
//	/debug/pprof  profiles
func StartOps(addr string, ready func(context.Context) error) (*Ops, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for operations: %w", err)
	}
	ops := &Ops{Registry: newRegistry()}
	ops.server = &http.Server{Handler: ops.routes(ready), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		err := ops.server.Serve(listener)
		if !errors.Is(err, http.ErrServerClosed) {
			slog.Error("operations port ended", "error", err)
		}
	}()
	return ops, nil
}

// Accept is called once the program listens: whoever is sent here before finds a closed
// port.
func (o *Ops) Accept() {
	o.accepting.Store(true)
}

// Drain makes /readyz answer 503, so that no new work is sent here while the rest stops.
func (o *Ops) Drain() {
	o.accepting.Store(false)
}

// Stop closes the port.
func (o *Ops) Stop(ctx context.Context) error {
	return o.server.Shutdown(ctx)
}

func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return registry
}

func (o *Ops) routes(ready func(context.Context) error) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.Registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /livez", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		o.serveReady(w, r, ready)
	})
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

func (o *Ops) serveReady(w http.ResponseWriter, r *http.Request, ready func(context.Context) error) {
	if !o.accepting.Load() {
		http.Error(w, "starting or draining", http.StatusServiceUnavailable)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	err := ready(ctx)
	if err != nil {
		slog.Warn("not ready", "error", err)
		http.Error(w, "not ready", http.StatusServiceUnavailable)
	}
}
