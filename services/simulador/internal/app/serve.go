package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/simulador/internal/httpapi"
	"github.com/enlace-iis/enlace/services/simulador/internal/plataforma"
	"github.com/enlace-iis/enlace/services/simulador/internal/webhook"
)

// stopLimit is how long answers in flight may take after a signal. Nothing waits
// on purpose by then, so it is short.
const stopLimit = 5 * time.Second

// Serve runs the simulator until ctx ends.
func Serve(ctx context.Context, cfg Config, log *slog.Logger) error {
	listener, err := net.Listen("tcp", cfg.HTTPAddr)
	if err != nil {
		return fmt.Errorf("listen for requests: %w", err)
	}
	ops, err := process.StartOps(cfg.OpsAddr, func(context.Context) error { return nil })
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	ops.Accept()
	var cleanups process.Cleanups
	cleanups.Push("operations port", ops.Stop)

	calls := webhook.New()
	server := newServer(ctx, httpapi.New(plataforma.New(time.Now), calls, log), log)
	cleanups.Push("connections to institutions", func(context.Context) error {
		calls.CloseIdle()
		return nil
	})
	cleanups.Push("http server", server.Shutdown)

	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	log.Info("simulator listens", "addr", listener.Addr().String())

	select {
	case <-ctx.Done():
		err = nil
	case err = <-ended:
	}
	ops.Drain()
	return errors.Join(err, cleanups.Run(stopLimit))
}

// newServer has no read or write timeout: bodies are bounded, and long polls and
// slow answers are what it is for. Their contexts are ctx's children, so a stop
// ends them instead of waiting for them.
func newServer(ctx context.Context, handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
