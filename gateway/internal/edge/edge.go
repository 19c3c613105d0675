// Package edge is everything between a client's bytes and the call of an RPC that concerns
// HTTP alone: ordinary middlewares, put in order by [New], which is where to start reading.
//
// A request is refused here for what can be seen without a service: route, method, rate,
// size, type, encoding. The contract wants 401, 403 and 429 before those about the body
// (contract.md 8), and only the services can judge a credential; so before such a refusal,
// the owning service is asked, see access.go; and before a large body is read at all, whose
// memory intake.go divides, see body.go.
//
// A middleware hands on what it has found in the context: an [origin], a [match], an [allowance],
// and the metadata of whatever a service is asked. None is changed afterwards. Only the [record],
// which belongs to the log line, is written from inside. A header of the client becomes gRPC
// metadata only in metadata.go.
package edge

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	"github.com/enlace-iis/enlace/services/process/fair"
)

// Parts is what the program gives its edge.
type Parts struct {
	Conns   routes.Connections
	Locals  []routes.Local // the gateway's own routes: health, documents
	Log     *slog.Logger
	Metrics prometheus.Registerer
	Tracer  trace.Tracer // nil: requests are not traced
}

// An Edge is the public HTTP handler.
type Edge struct {
	http.Handler

	cfg    Config
	table  *routes.Table
	mux    *runtime.ServeMux
	asking map[routes.Service]accesov1.AccesoServiceClient
	// limiter counts all addresses, pui those of the platform at its routes.
	limiter, pui *limiter
	gates        *gates
	lists        *fair.Gate
	log          *slog.Logger
	metrics      *metrics
	tracer       trace.Tracer

	listWait    time.Duration
	draining    atomic.Bool
	untrusted   sync.Once // has been told in the log, see locate
	wrongMethod http.Handler
}

// New assembles the edge.
func New(cfg Config, parts Parts) (*Edge, error) {
	e := &Edge{
		cfg:      cfg,
		limiter:  newLimiter(cfg.RateLimit, cfg.RateBurst),
		pui:      newLimiter(cfg.PuiRateLimit, cfg.PuiRateBurst),
		gates:    newGates(cfg),
		lists:    newLists(cfg.MaxLists),
		listWait: listWait,
		log:      parts.Log,
		tracer:   parts.Tracer,
		asking:   map[routes.Service]accesov1.AccesoServiceClient{},
	}
	for service, conn := range parts.Conns {
		e.asking[service] = accesov1.NewAccesoServiceClient(conn)
	}
	var err error
	e.table, err = routes.NewTable(parts.Locals...)
	if err != nil {
		return nil, fmt.Errorf("build routes: %w", err)
	}
	e.metrics, err = newMetrics(parts.Metrics, e.table.All())
	if err != nil {
		return nil, err
	}
	// What every answer has, refusals included.
	e.Handler = chain(http.HandlerFunc(e.findPath), e.locate, e.observe, e.setHeaders, compress, e.boundReading)
	e.wrongMethod = chain(http.HandlerFunc(e.refuseMethod), e.recoverPanics, e.shareOrigin)
	e.mux = e.newMux()
	err = routes.Register(e.mux, e.table, parts.Conns, routes.StreamConfig{FirstChunkTimeout: cfg.Timeout, WriteTimeout: cfg.TimeoutClient})
	if err != nil {
		return nil, fmt.Errorf("build mux: %w", err)
	}
	return e, nil
}

// admitted is what a request passes once the mux has found its route, in the order of refusals
// of contract.md section 8: 404, 405, 401, (403,) 429, 413, 415, 400. 403 is the services' to
// give, and so is what follows 400.
func (e *Edge) admitted(next http.Handler) http.Handler {
	return chain(next, e.recoverPanics, e.shareOrigin, e.checkOwn, e.carry, e.limitRate, e.readBody, e.checkQuery, e.boundLists, e.limitTime)
}

// newMux is grpc-gateway's mux with the contract's JSON, errors and metadata.
func (e *Edge) newMux() *runtime.ServeMux {
	none := func(string) (string, bool) { return "", false }
	return runtime.NewServeMux(
		runtime.WithMarshalerOption(runtime.MIMEWildcard, routes.NewMarshaler(e.table)),
		runtime.WithMiddlewares(e.found),
		runtime.WithRoutingErrorHandler(func(_ context.Context, _ *runtime.ServeMux, _ runtime.Marshaler, w http.ResponseWriter, r *http.Request, status int) {
			e.unrouted(w, r, status)
		}),
		runtime.WithErrorHandler(e.failed),
		runtime.WithMetadata(callMetadata),
		runtime.WithIncomingHeaderMatcher(none),
		runtime.WithOutgoingHeaderMatcher(none),
		runtime.WithOutgoingTrailerMatcher(none),
		runtime.WithForwardResponseOption(e.table.SetStatus),
		runtime.WithDisablePathLengthFallback(),
		runtime.WithWriteContentLength(),
	)
}

// chain puts the first middleware outermost.
func chain(inner http.Handler, middlewares ...func(http.Handler) http.Handler) http.Handler {
	for i := len(middlewares) - 1; i >= 0; i-- {
		inner = middlewares[i](inner)
	}
	return inner
}
