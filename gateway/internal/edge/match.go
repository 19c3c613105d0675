package edge

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
)

// findPath has the mux find the routes of the path. There are no redirects: a path that is
// nearly right is another path. Only a run of slashes counts as one, because the base
// addresses that institutions register may end in one.
func (e *Edge) findPath(w http.ResponseWriter, r *http.Request) {
	x := of(r)
	x.method = r.Method
	x.escaped = slashes.ReplaceAllLiteralString(r.URL.EscapedPath(), "/")
	e.lookUp(w, r, e.belowRoot(x.escaped))
}

var slashes = regexp.MustCompile(`//+`)

func (e *Edge) lookUp(w http.ResponseWriter, r *http.Request, below string) {
	of(r).below = below
	asked := r.WithContext(r.Context())
	asked.Method, asked.URL = routes.AnyMethod, &url.URL{Path: below, RawQuery: r.URL.RawQuery}
	e.mux.ServeHTTP(w, asked)
}

func (e *Edge) found(next http.Handler) routes.Found {
	return func(w http.ResponseWriter, r *http.Request, path *routes.Path, parameters map[string]string) {
		x := of(r)
		x.path, x.call.Parameters = path, parameters
		x.instance = e.instance(x.below)
		r.Method = x.method
		next.ServeHTTP(w, r)
	}
}

// notFound answers 404, unless ROOT_PATH was the beginning of a route as well.
func (e *Edge) notFound(w http.ResponseWriter, r *http.Request) {
	x := of(r)
	if x.below != x.escaped {
		e.lookUp(w, r, x.escaped)
		return
	}
	x.instance = e.instance(e.belowRoot(x.escaped))
	e.answer(w, r, httperr.New(errores.NoEncontrado, "La ruta no existe."))
}

// belowRoot takes ROOT_PATH off a path that still has it, because the proxy in front left
// it on.
func (e *Edge) belowRoot(path string) string {
	if e.cfg.RootPath == "" {
		return path
	}
	below, ok := strings.CutPrefix(path, e.cfg.RootPath)
	switch {
	case !ok:
		return path
	case below == "":
		return "/"
	case below[0] == '/':
		return below
	default:
		return path
	}
}

// maxInstance bounds how much of an unknown path is repeated to whoever made it up.
const maxInstance = 512

// instance is a path as clients outside see it.
func (e *Edge) instance(below string) string {
	path := e.cfg.RootPath + below
	return path[:min(len(path), maxInstance)]
}

// matchMethod finds the route for the method, or answers 405 with what is allowed. HEAD is
// GET from here on; net/http sees to it that no body is sent. Where no service is called at
// an institution's own address, it is asked here whether there is the institution.
func (e *Edge) matchMethod(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := of(r)
		x.route = x.path.Route(r.Method)
		var refusal *httperr.Error
		if x.route == nil || x.route.RPC == "" {
			refusal = e.checkDireccion(r)
		}
		if refusal == nil && x.route == nil {
			w.Header().Set("Allow", x.path.Allow())
			refusal = httperr.New(errores.MetodoNoPermitido, "La ruta no admite este método.")
		}
		if refusal != nil {
			e.answer(w, r, refusal)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// style is the form of errors on the path; an unknown path has the ordinary one.
func (x *exchange) style() httperr.Style {
	if x.path == nil {
		return httperr.Problem
	}
	return x.path.Style
}

// access is what the route wants; without one it does not matter.
func (x *exchange) access() routes.Access {
	if x.route == nil {
		return routes.Open
	}
	return x.route.Access
}
