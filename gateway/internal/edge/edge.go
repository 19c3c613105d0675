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
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/gateway/internal/intake"
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
	cfg    Config
	table  *routes.Table
	mux    *runtime.ServeMux
	asking map[routes.Service]accesov1.AccesoServiceClient
	errors *httperr.Writer
	// limiter counts all addresses, pui those of the platform at its routes.
	limiter, pui *limiter
	gates        *intake.Gates
	lists        *fair.Gate
	cors         cors
	log          *slog.Logger
	metrics      *metrics
	tracer       trace.Tracer

	listWait  time.Duration
	draining  atomic.Bool
	busy      busy
	untrusted sync.Once // has been told in the log, see passOver

	handler     http.Handler
	wrongMethod http.Handler
}

type middleware func(next http.Handler) http.Handler

// New assembles the edge.
func New(cfg Config, parts Parts) (*Edge, error) {
	e := &Edge{
		cfg:     cfg,
		errors:  httperr.NewWriter(cfg.PublicURL + cfg.RootPath),
		limiter: newLimiter(cfg.RateLimit, cfg.RateBurst),
		pui:     newLimiter(cfg.PuiRateLimit, cfg.PuiRateBurst),
		gates: intake.New(intake.Config{
			Bytes: cfg.MaxBodyBytes, OwnerBytes: cfg.EmpresaMaxBatchBytes, OwnerBatches: cfg.EmpresaMaxBatches,
		}),
		lists:    newLists(cfg.MaxLists),
		listWait: listWait,
		cors:     newCORS(cfg.CORSOrigins),
		log:      parts.Log,
		tracer:   parts.Tracer,
		asking:   map[routes.Service]accesov1.AccesoServiceClient{},
	}
	var err error
	for service, conn := range parts.Conns {
		e.asking[service] = accesov1.NewAccesoServiceClient(conn)
	}
	e.table, err = routes.NewTable(parts.Locals...)
	if err != nil {
		return nil, fmt.Errorf("build routes: %w", err)
	}
	e.metrics, err = newMetrics(parts.Metrics, e.table.All())
	if err != nil {
		return nil, err
	}
	e.wrongMethod = chain(http.HandlerFunc(e.refuseMethod), e.shareOrigin)
	e.mux = e.newMux()
	err = routes.Register(e.mux, e.table, parts.Conns, routes.StreamConfig{FirstChunkTimeout: cfg.Timeout, WriteTimeout: cfg.TimeoutClient})
	if err != nil {
		return nil, fmt.Errorf("build mux: %w", err)
	}
	e.handler = chain(http.HandlerFunc(e.findPath),
		// What every answer has, refusals included.
		e.identify, e.trace, e.observe, e.locate, e.sendAway, e.secureHeaders, e.recoverPanics, e.compress, e.boundReading,
	)
	return e, nil
}

// admitted is what a request passes once the mux has found its route, in the order of refusals
// of contract.md section 8: 404, 405, 401, (403,) 429, 413, 415, 400. 403 is the services' to
// give, and so is what follows 400.
func (e *Edge) admitted(next http.Handler) http.Handler {
	return chain(next, e.shareOrigin, e.checkOwn, e.wantCredentials, e.wantSignature, e.limitRate, e.readBody, e.checkQuery,
		e.boundLists, e.limitTime)
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
		runtime.WithMetadata(func(_ context.Context, r *http.Request) metadata.MD { return of(r).callMetadata() }),
		runtime.WithIncomingHeaderMatcher(none),
		runtime.WithOutgoingHeaderMatcher(none),
		runtime.WithOutgoingTrailerMatcher(none),
		runtime.WithForwardResponseOption(e.table.SetStatus),
		runtime.WithDisablePathLengthFallback(),
		runtime.WithWriteContentLength(),
	)
}

// chain puts the first middleware outermost.
func chain(inner http.Handler, middlewares ...middleware) http.Handler {
	for i := len(middlewares) - 1; i >= 0; i-- {
		inner = middlewares[i](inner)
	}
	return inner
}

// ServeHTTP answers one request.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.handler.ServeHTTP(w, r)
}
