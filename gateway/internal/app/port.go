package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/enlace-iis/enlace/gateway/internal/edge"
	"github.com/enlace-iis/enlace/services/process/certs"
)

// listen opens the public port, with TLS if there is a certificate.
func listen(cfg Config, handler *edge.Edge) (net.Listener, error) {
	listener, err := net.Listen("tcp", cfg.HTTPAddr)
	if err != nil {
		return nil, fmt.Errorf("listen for requests: %w", err)
	}
	if cfg.TLSCertFile == "" {
		return handler.Listen(listener, nil), nil
	}
	config, err := certs.Public(cfg.TLSCertFile, cfg.TLSKeyFile)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return handler.Listen(listener, config), nil
}

// A port is the public one, at work.
type port struct {
	handler  *edge.Edge
	listener net.Listener
	server   *http.Server
	limit    time.Duration // of a stop
	log      *slog.Logger
	ended    chan error // closed after its one value
}

func newPort(cfg Config, handler *edge.Edge, listener net.Listener, log *slog.Logger) *port {
	server := edge.NewServer(handler, log, cfg.TLSCertFile != "")
	return &port{handler: handler, listener: listener, server: server, limit: cfg.StopLimit, log: log, ended: make(chan error, 1)}
}

func (p *port) serve() {
	defer close(p.ended)
	p.ended <- p.server.Serve(p.listener)
}

// waitOrFail lets the server go on for a while.
func waitOrFail(delay time.Duration, ended <-chan error) error {
	select {
	case err := <-ended:
		return fmt.Errorf("serve http: %w", err)
	case <-time.After(delay):
		return nil
	}
}

// stop takes no more connections, waits for the requests of those that it has, and cuts what
// takes longer than the limit: a list can be read as slowly as its reader likes.
func (p *port) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	// The server may have closed it already; what it ended with is that.
	_ = p.listener.Close()
	for range p.ended {
	}
	p.handler.Leave(ctx)
	err := p.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		p.log.Warn("requests were cut at the stop limit")
		return p.server.Close()
	}
	return err
}
