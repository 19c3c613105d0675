package edge

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/process/header"
)

// A match is what the mux has found for the path of a request.
type match struct {
	route      *routes.Route     // for a wrong method, the path's first
	parameters map[string]string // of the path, unescaped
	methods    []string          // of a path that lacks the request's
}

type matchKey struct{}

// matchOf gives the match of a request; nil for an unknown path.
func matchOf(ctx context.Context) *match {
	m, _ := ctx.Value(matchKey{}).(*match)
	return m
}

var slashes = regexp.MustCompile(`//+`)

// findPath has the mux find the route. There are no redirects: a path that is nearly right is
// another path. Only a run of slashes counts as one, because the base addresses that
// institutions register may end in one. The mux compares the escaped path byte for byte.
func (e *Edge) findPath(w http.ResponseWriter, r *http.Request) {
	e.lookUp(w, r, e.belowRoot(slashes.ReplaceAllLiteralString(r.URL.EscapedPath(), "/")))
}

// belowRoot takes ROOT_PATH off a path that still has it, because the proxy in front left it on,
// unless it is the beginning of a route as well.
func (e *Edge) belowRoot(path string) string {
	below, ok := strings.CutPrefix(path, e.cfg.RootPath)
	if e.cfg.RootPath == "" || !ok || below != "" && below[0] != '/' {
		return path
	}
	if below == "" {
		below = "/"
	}
	beyond, _ := e.table.At(below)
	whole, _ := e.table.At(path)
	if len(beyond) == 0 && len(whole) > 0 {
		return path
	}
	return below
}

func (e *Edge) lookUp(w http.ResponseWriter, r *http.Request, path string) {
	call := &routes.Call{Source: r.Body}
	recordOf(r.Context()).call = call
	asked := r.WithContext(r.Context())
	asked.URL, asked.Body = &url.URL{Path: path, RawQuery: r.URL.RawQuery}, call
	if r.Method == http.MethodHead {
		// HEAD is GET from here on; net/http sees to it that no body is sent.
		asked.Method, call.Head = http.MethodGet, true
	}
	e.mux.ServeHTTP(w, asked)
}

// found is the mux's middleware around every route.
func (e *Edge) found(serve runtime.HandlerFunc) runtime.HandlerFunc {
	next := e.admitted(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve(w, bare(r), matchOf(r.Context()).parameters)
	}))
	return func(w http.ResponseWriter, r *http.Request, parameters map[string]string) {
		if !unescape(parameters) {
			e.unrouted(w, r, http.StatusNotFound)
			return
		}
		next.ServeHTTP(w, e.matched(r, &match{route: e.table.Of(r), parameters: parameters}))
	}
}

// matched is a request with what follows from its path: its match, its allowance, and the metadata
// of whatever a service is asked about it.
func (e *Edge) matched(r *http.Request, m *match) *http.Request {
	recordOf(r.Context()).match = m
	from := originOf(r.Context())
	md := metadata.MD{header.RequestID: {from.requestID}, header.ClienteIP: {from.client.String()}}
	if empresa := m.direccion(); empresa != "" {
		md[header.Direccion] = []string{empresa}
	}
	ctx := context.WithValue(metadata.NewOutgoingContext(r.Context(), md), matchKey{}, m)
	return r.WithContext(context.WithValue(ctx, allowanceKey{}, e.allowanceFor(m, from.client)))
}

// direccion is the institution whose own address the request came to, or "". Whether there
// is such an institution comes before its credential (contract.md 8: 404 before 401).
func (m *match) direccion() string {
	if !strings.HasPrefix(m.route.Pattern, "/i/{id_empresa}/") {
		return ""
	}
	return m.parameters["id_empresa"]
}

// bare is what a generated handler sees of a request: its address, its body, and the one header
// that a list reads. Metadata comes from metadata.go alone, while the runtime forwards
// Authorization, the host and the peer's address by itself.
func bare(r *http.Request) *http.Request {
	stripped := r.WithContext(r.Context())
	stripped.Header, stripped.Host, stripped.RemoteAddr = http.Header{}, "", ""
	if tags := r.Header.Values("If-None-Match"); len(tags) > 0 {
		stripped.Header["If-None-Match"] = tags
	}
	if len(matchOf(r.Context()).route.Filters) == 0 {
		stripped.URL = &url.URL{Path: r.URL.Path}
	}
	return stripped
}

// maxParameter is far beyond any RFC or key id.
const maxParameter = 128

// unescape replaces the parameters of a path by what they mean. It reports whether all can mean
// something: no separators, no dot segments, nothing invisible. An institution's id may have a
// "&" or an "Ñ".
func unescape(parameters map[string]string) bool {
	for name, escaped := range parameters {
		value, err := url.PathUnescape(escaped)
		if err != nil || value == "" || len(value) > maxParameter || value == "." || value == ".." || !utf8.ValidString(value) ||
			strings.ContainsFunc(value, func(r rune) bool { return r == '/' || r == '\\' || !unicode.IsPrint(r) }) {
			return false
		}
		parameters[name] = value
	}
	return true
}

// unrouted answers what the mux has no route for: 404, or 405 with what is allowed.
func (e *Edge) unrouted(w http.ResponseWriter, r *http.Request, status int) {
	known, parameters := e.table.At(r.URL.Path)
	if status != http.StatusMethodNotAllowed || len(known) == 0 || !unescape(parameters) {
		e.answer(w, r, routes.NewError(errores.NoEncontrado, "La ruta no existe."))
		return
	}
	m := &match{route: known[0], parameters: parameters}
	for _, each := range known {
		m.methods = append(m.methods, each.Method)
		if each.Method == http.MethodGet {
			m.methods = append(m.methods, http.MethodHead)
		}
	}
	slices.Sort(m.methods)
	e.wrongMethod.ServeHTTP(w, e.matched(r, m))
}

func (e *Edge) refuseMethod(w http.ResponseWriter, r *http.Request) {
	refusal := e.checkDireccion(r)
	if refusal == nil {
		w.Header().Set("Allow", strings.Join(matchOf(r.Context()).methods, ", "))
		refusal = routes.NewError(errores.MetodoNoPermitido, "La ruta no admite este método.")
	}
	e.answer(w, r, refusal)
}
