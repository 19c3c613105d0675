package routes

import (
	"net/http"
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

	// reads is the message that the body fills: the request or a field of it. Empty: none.
	reads        protoreflect.FullName
	responseBody string
	descriptor   protoreflect.MethodDescriptor
	local        http.Handler // of what the gateway answers itself
}

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
	return strings.HasPrefix(pattern, "/cliente/") || strings.HasPrefix(pattern, "/institucion/") || isOperators(pattern)
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
