package routes

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	opcionesv1 "github.com/enlace-iis/enlace/proto/gen/enlace/opciones/v1"
	"github.com/enlace-iis/enlace/proto/opciones"
)

// A Route is one method and path of the public API.
type Route struct {
	Method  string
	Pattern string // "/i/{id_empresa}/login"

	RPC     string // full method name, or "" for what the gateway answers itself
	Service Service
	List    bool // a stream that becomes a JSON array, or a file
	File    bool // which of the two

	Success int // the documented status
	// nothingNew is the status of an answer that counts nothing as created; zero: Success.
	nothingNew int

	Style     httperr.Style
	Access    Access
	Body      Body
	BodyLimit int64 // bytes, decompressed
	// MaxRegistros is how many records of a batch are handed to the service, one more than
	// it takes: it is the service that refuses a larger one, with lote_excedido.
	MaxRegistros int
	// RefusesQuery is set where a query parameter would be a misunderstanding (contract.md 2).
	RefusesQuery bool
	// Filters are the query parameters that the route has: fields of the request.
	Filters []string

	// Serve answers a request of the route.
	Serve Handler
}

// A Handler answers a request, of which it reads no more than the context and the call. An
// error is a refusal, and nothing has been written then.
type Handler func(w http.ResponseWriter, r *http.Request, call *Call) error

// Service tells which deployable serves a route.
type Service int

const (
	// Gateway is this program itself.
	Gateway Service = iota
	// Registros and Integracion are the two services.
	Registros
	Integracion
)

// Access is the kind of credential that a route wants. Only the services can judge one.
type Access int

const (
	// Open wants none.
	Open Access = iota
	// APIKey is an institution's, in X-API-Key.
	APIKey
	// Bearer is a token of /login.
	Bearer
)

// Challenge is what WWW-Authenticate says on a 401.
func (a Access) Challenge() string {
	if a == APIKey {
		return `ApiKey realm="enlace"`
	}
	return `Bearer realm="enlace"`
}

// accessOf gives the one kind of credential that can be right.
func accessOf(acceso *opcionesv1.Acceso) Access {
	switch {
	case acceso.GetPublico():
		return Open
	case slices.Contains(acceso.GetRoles(), opcionesv1.Rol_ROL_INSTITUCION):
		return APIKey
	default:
		return Bearer
	}
}

// Body is what a route takes as its body; opciones.proto tells each apart.
type Body = opcionesv1.Cuerpo

// The kinds of body, under shorter names.
const (
	NoBody  = opcionesv1.Cuerpo_CUERPO_UNSPECIFIED
	Strict  = opcionesv1.Cuerpo_CUERPO_ESTRICTO
	Batch   = opcionesv1.Cuerpo_CUERPO_LOTE
	Lenient = opcionesv1.Cuerpo_CUERPO_PLATAFORMA
	Ignored = opcionesv1.Cuerpo_CUERPO_IGNORADO
	Signed  = opcionesv1.Cuerpo_CUERPO_FIRMADO
)

// bodyLimit is contract.md section 2: by path, so that a new route under it is not forgotten.
func bodyLimit(pattern string) int64 {
	if strings.HasPrefix(pattern, "/cliente/registros") {
		return opciones.MaxCuerpoLote
	}
	return opciones.MaxCuerpo
}

func refusesQuery(pattern string) bool {
	return strings.HasPrefix(pattern, "/cliente/") || isOperators(pattern)
}

// isOperators tells the routes of contract.md section 9.
func isOperators(pattern string) bool {
	return strings.HasPrefix(pattern, "/operador/")
}

// filtersOf gives the fields of an operators' GET that its path does not have. Institutions'
// lists have none (contract.md 4.3).
func filtersOf(method, pattern string, request protoreflect.MessageDescriptor) []string {
	if method != http.MethodGet || !isOperators(pattern) {
		return nil
	}
	var filters []string
	for i := range request.Fields().Len() {
		name := string(request.Fields().Get(i).Name())
		if !strings.Contains(pattern, "{"+name+"}") {
			filters = append(filters, name)
		}
	}
	return filters
}

// statusOf is the status of an answer: that of SaveRegistros depends on whether something
// is new.
func (r *Route) statusOf(m proto.Message) int {
	counted, ok := m.(interface{ GetCreados() int32 })
	if ok && r.nothingNew != 0 && counted.GetCreados() == 0 {
		return r.nothingNew
	}
	return r.Success
}

// A Local is a GET route that the gateway answers itself. Its handler sees the pattern as
// the path and nothing else of the request, and may replace the headers that every answer
// has, such as the content policy of a page.
type Local struct {
	Pattern string
	Handler http.Handler
}

func (l Local) route() *Route {
	return &Route{
		Method:    http.MethodGet,
		Pattern:   l.Pattern,
		Success:   http.StatusOK,
		BodyLimit: opciones.MaxCuerpo,
		Serve:     l.serve,
	}
}

func (l Local) serve(w http.ResponseWriter, r *http.Request, _ *Call) error {
	bare := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: l.Pattern}, Body: http.NoBody}
	l.Handler.ServeHTTP(w, bare.WithContext(r.Context()))
	return nil
}
