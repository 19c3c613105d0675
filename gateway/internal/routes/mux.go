package routes

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
)

// Connections are the clients of the services, by service.
type Connections map[Service]*grpc.ClientConn

// MuxConfig is what the mux leaves to its caller.
type MuxConfig struct {
	// OnError answers a refusal. Nothing has been written.
	OnError func(w http.ResponseWriter, r *http.Request, err error)
	// FirstChunkTimeout bounds the wait for the first message of a list.
	FirstChunkTimeout time.Duration
	// WriteTimeout bounds one write of a list: a reader that stops reading is cut.
	WriteTimeout time.Duration
}

// NewMux makes the handler that carries each request to its RPC. Requests must have a
// [Call] in their context, whose Reader is their body.
func NewMux(ctx context.Context, table *Table, conns Connections, cfg MuxConfig) (http.Handler, error) {
	mux := runtime.NewServeMux(
		runtime.WithMarshalerOption(runtime.MIMEWildcard, marshaler{}),
		// The call's metadata is the closed list of what a service is told; no header of
		// the client becomes metadata by itself, and none comes back.
		runtime.WithIncomingHeaderMatcher(noHeader),
		runtime.WithOutgoingHeaderMatcher(noHeader),
		runtime.WithOutgoingTrailerMatcher(noHeader),
		runtime.WithMetadata(func(ctx context.Context, _ *http.Request) metadata.MD { return callOf(ctx).Metadata }),
		runtime.WithErrorHandler(errorHandler(cfg.OnError)),
		runtime.WithForwardResponseOption(table.setStatus),
		runtime.WithWriteContentLength(),
		runtime.WithDisablePathLengthFallback(),
		runtime.WithDisableHTTPMethodOverride(),
	)
	// The mux tries what was registered last first, and the busiest service leads the list.
	for _, public := range slices.Backward(publicServices) {
		if public.register == nil {
			continue
		}
		err := public.register(ctx, mux, conns[public.service])
		if err != nil {
			return nil, fmt.Errorf("register %s: %w", public.name, err)
		}
	}
	for _, route := range table.all {
		err := addOwn(mux, route, conns, cfg)
		if err != nil {
			return nil, fmt.Errorf("register %s: %w", route.Pattern, err)
		}
	}
	return mux, nil
}

// addOwn registers what no generated handler serves: lists and the gateway's own routes.
func addOwn(mux *runtime.ServeMux, route *Route, conns Connections, cfg MuxConfig) error {
	switch {
	case route.List:
		list, err := newList(route, conns[route.Service], cfg)
		if err != nil {
			return err
		}
		return mux.HandlePath(route.Method, route.Pattern, list.serve)
	case route.handler != nil:
		return mux.HandlePath(route.Method, route.Pattern, func(w http.ResponseWriter, r *http.Request, _ map[string]string) {
			route.handler.ServeHTTP(w, r)
		})
	default:
		return nil
	}
}

func noHeader(string) (string, bool) {
	return "", false
}

// errorHandler puts the reader's own error, which says the place, back where the generated
// handlers made a text of it.
func errorHandler(onError func(http.ResponseWriter, *http.Request, error)) runtime.ErrorHandlerFunc {
	return func(_ context.Context, _ *runtime.ServeMux, _ runtime.Marshaler, w http.ResponseWriter, r *http.Request, err error) {
		call := callOf(r.Context())
		if call.problem != nil {
			err = httperr.FromJSON(call.problem)
		}
		onError(w, r, err)
	}
}

// setStatus gives an answer the status of its route.
func (t *Table) setStatus(ctx context.Context, w http.ResponseWriter, m proto.Message) error {
	rpc, _ := runtime.RPCMethod(ctx)
	status := t.byRPC[rpc].statusOf(m)
	if status != http.StatusOK {
		w.WriteHeader(status)
	}
	return nil
}
