package edge

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
)

// findPath has the mux find the route. There are no redirects: a path that is nearly right is
// another path. Only a run of slashes counts as one, because the base addresses that
// institutions register may end in one. The mux compares the escaped path byte for byte.
func (e *Edge) findPath(w http.ResponseWriter, r *http.Request) {
	x := of(r)
	x.escaped = slashes.ReplaceAllLiteralString(r.URL.EscapedPath(), "/")
	e.lookUp(w, r, e.belowRoot(x.escaped))
}

var slashes = regexp.MustCompile(`//+`)

func (e *Edge) lookUp(w http.ResponseWriter, r *http.Request, below string) {
	of(r).below = below
	asked := r.WithContext(r.Context())
	asked.URL = &url.URL{Path: below, RawQuery: r.URL.RawQuery}
	if r.Method == http.MethodHead {
		// HEAD is GET from here on; net/http sees to it that no body is sent.
		asked.Method = http.MethodGet
		of(r).call.Head = true
	}
	e.mux.ServeHTTP(w, asked)
}

// found is the mux's middleware around every route.
func (e *Edge) found(serve runtime.HandlerFunc) runtime.HandlerFunc {
	next := e.admitted(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve(w, bare(r), of(r).parameters)
	}))
	return func(w http.ResponseWriter, r *http.Request, parameters map[string]string) {
		x := of(r)
		if !unescape(parameters) {
			e.unrouted(w, r, http.StatusNotFound)
			return
		}
		x.found, x.parameters, x.instance = e.table.Of(r), parameters, e.instance(x.below)
		if x.probing {
			x.allow = append(x.allow, r.Method)
			return
		}
		x.route = x.found
		next.ServeHTTP(w, r)
	}
}

// bare is what a generated handler sees of a request: its address, its body, and the one header
// that a list reads. Metadata comes from [exchange.metadata] alone, while the runtime forwards
// Authorization, the host and the peer's address by itself.
func bare(r *http.Request) *http.Request {
	x := of(r)
	stripped := r.WithContext(r.Context())
	stripped.Header, stripped.Host, stripped.RemoteAddr = http.Header{}, "", ""
	if tags := r.Header.Values("If-None-Match"); len(tags) > 0 {
		stripped.Header["If-None-Match"] = tags
	}
	if len(x.route.Filters) == 0 {
		stripped.URL = &url.URL{Path: r.URL.Path}
	}
	stripped.Body = &x.call
	return stripped
}

// unescape replaces the parameters of a path by what they mean. It reports whether all can mean
// something.
func unescape(parameters map[string]string) bool {
	for name, escaped := range parameters {
		value, err := url.PathUnescape(escaped)
		if err != nil || !isParameterValue(value) {
			return false
		}
		parameters[name] = value
	}
	return true
}

// maxParameter is far beyond any RFC or key id.
const maxParameter = 128

// isParameterValue reports whether a path parameter can mean anything: no separators, no dot
// segments, nothing invisible. An institution's id may have a "&" or an "Ñ".
func isParameterValue(value string) bool {
	if value == "" || len(value) > maxParameter || value == "." || value == ".." || !utf8.ValidString(value) {
		return false
	}
	return !strings.ContainsFunc(value, func(r rune) bool {
		return r == '/' || r == '\\' || !unicode.IsPrint(r)
	})
}

// unrouted answers what the mux has no route for.
func (e *Edge) unrouted(w http.ResponseWriter, r *http.Request, status int) {
	x := of(r)
	if x.probing {
		return
	}
	if status == http.StatusMethodNotAllowed && e.probe(r) {
		e.wrongMethod.ServeHTTP(w, r)
		return
	}
	if x.below != x.escaped {
		// ROOT_PATH was the beginning of a route as well.
		e.lookUp(w, r, x.escaped)
		return
	}
	x.instance = e.instance(e.belowRoot(x.escaped))
	e.answer(w, r, httperr.New(errores.NoEncontrado, "La ruta no existe."))
}

// probe finds the methods that a path has, and reports whether there are any: the mux says of a
// path that lacks the method only that it has another one.
func (e *Edge) probe(r *http.Request) bool {
	x := of(r)
	x.probing = true
	defer func() { x.probing = false }()
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		asked := r.WithContext(r.Context())
		asked.Method = method
		e.mux.ServeHTTP(nil, asked)
	}
	if slices.Contains(x.allow, http.MethodGet) {
		x.allow = slices.Insert(x.allow, 1, http.MethodHead)
	}
	return len(x.allow) > 0
}

// refuseMethod answers 405 with what is allowed.
func (e *Edge) refuseMethod(w http.ResponseWriter, r *http.Request) {
	refusal := e.checkDireccion(r)
	if refusal == nil {
		w.Header().Set("Allow", of(r).allowed())
		refusal = httperr.New(errores.MetodoNoPermitido, "La ruta no admite este método.")
	}
	e.answer(w, r, refusal)
}

// checkOwn asks for the institution of an address whose route no service answers.
func (e *Edge) checkOwn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if of(r).route.RPC == "" {
			refusal := e.checkDireccion(r)
			if refusal != nil {
				e.answer(w, r, refusal)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
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

// style is the form of errors on the path; an unknown path has the ordinary one.
func (x *exchange) style() httperr.Style {
	if x.found == nil {
		return httperr.Problem
	}
	return x.found.Style
}

// access is what the route wants; without one it does not matter.
func (x *exchange) access() routes.Access {
	if x.route == nil {
		return routes.Open
	}
	return x.route.Access
}
