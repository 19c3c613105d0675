package routes

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
)

// AnyMethod is the method with which the mux is asked for a path. Asked with the client's, it
// would not tell which path it is that does not have it, and so not what is allowed there.
const AnyMethod = "ANY"

// Found is called with the path that a request is for and its parameters, unescaped.
type Found func(w http.ResponseWriter, r *http.Request, path *Path, parameters map[string]string)

// NewMux makes the router. It goes by the path of the request's URL, which is to be escaped,
// byte for byte: a trailing or doubled slash, a dot segment or an escaped letter makes
// another path, and there is none. A literal path wins over a pattern.
func (t *Table) NewMux(found Found, unknown http.HandlerFunc) (http.Handler, error) {
	mux := runtime.NewServeMux(runtime.WithRoutingErrorHandler(
		func(_ context.Context, _ *runtime.ServeMux, _ runtime.Marshaler, w http.ResponseWriter, r *http.Request, _ int) {
			unknown(w, r)
		}))
	// The mux tries what was registered last first: literal paths, and of them the busiest,
	// which lead the table.
	for _, literal := range []bool{false, true} {
		for _, path := range slices.Backward(t.paths) {
			if path.isLiteral() != literal {
				continue
			}
			err := mux.HandlePath(AnyMethod, path.Pattern, path.handler(found, unknown))
			if err != nil {
				return nil, fmt.Errorf("register %s: %w", path.Pattern, err)
			}
		}
	}
	return mux, nil
}

func (p *Path) handler(found Found, unknown http.HandlerFunc) runtime.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request, parameters map[string]string) {
		for name, escaped := range parameters {
			value, err := url.PathUnescape(escaped)
			if err != nil || !isParameterValue(value) {
				unknown(w, r)
				return
			}
			parameters[name] = value
		}
		found(w, r, p, parameters)
	}
}
