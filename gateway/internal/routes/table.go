package routes

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/reflect/protoreflect"

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

	// Exitos are the statuses of right answers, the usual one first; the second is of an answer that
	// counts nothing as created.
	Exitos []int

	Style     Style
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

// Service is the deployable that serves a route.
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

// Body is what a route takes as its body; opciones.proto explains each.
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

// A Table is what the protos say of every public route, for the middlewares of edge and for
// tests. Requests are dispatched by grpc-gateway's mux alone.
type Table struct {
	all   []*Route
	byRPC map[string]*Route
	byKey map[string]*Route
}

// NewTable reads the services' descriptors, and adds the gateway's own routes.
func NewTable(locals ...Local) (*Table, error) {
	t := &Table{byRPC: map[string]*Route{}, byKey: map[string]*Route{}}
	for _, public := range publicServices {
		metodos, err := opciones.Metodos(public.name)
		if err != nil {
			return nil, err
		}
		for _, metodo := range metodos {
			rule := metodo.Rule()
			if rule == nil {
				continue
			}
			for _, binding := range append([]*annotations.HttpRule{rule}, rule.GetAdditionalBindings()...) {
				route, err := newRoute(binding, metodo, public.service)
				if err != nil {
					return nil, fmt.Errorf("route %s: %w", metodo.RPC, err)
				}
				t.add(route)
			}
		}
	}
	for _, own := range locals {
		t.add(&Route{Method: http.MethodGet, Pattern: own.Pattern, Exitos: []int{http.StatusOK}, BodyLimit: opciones.MaxCuerpo, local: own.Handler})
	}
	return t, nil
}

func (t *Table) add(route *Route) {
	t.all = append(t.all, route)
	t.byRPC[route.RPC] = route
	t.byKey[route.Method+" "+route.Pattern] = route
}

// All gives every route, in the order of the protos, the gateway's own last.
func (t *Table) All() []*Route { return t.all }

// Of gives the route of a request that the mux has matched.
func (t *Table) Of(r *http.Request) *Route {
	pattern, _ := runtime.HTTPPattern(r.Context())
	// The runtime writes a variable as "{name=*}".
	return t.byKey[r.Method+" "+strings.ReplaceAll(pattern.String(), "=*}", "}")]
}

// At gives the routes of a path, whatever their methods, and the path's variables, escaped as they
// came: of a path that lacks a method the mux says only that it has another.
func (t *Table) At(path string) (found []*Route, variables map[string]string) {
	segments := strings.Split(path, "/")
	for _, route := range t.all {
		values, fits := map[string]string{}, true
		pattern := strings.Split(route.Pattern, "/")
		for i := 0; fits && i < len(pattern) && len(pattern) == len(segments); i++ {
			name, variable := strings.CutPrefix(pattern[i], "{")
			if variable {
				values[strings.TrimSuffix(name, "}")] = segments[i]
			}
			fits = segments[i] != "" && variable || segments[i] == pattern[i]
		}
		if fits && len(pattern) == len(segments) {
			found, variables = append(found, route), values
		}
	}
	return found, variables
}

func newRoute(rule *annotations.HttpRule, metodo opciones.Metodo, service Service) (*Route, error) {
	method, pattern := methodOf(rule)
	if method == "" {
		return nil, errors.New("the rule has no method that is public")
	}
	body, request := metodo.GetCuerpo(), metodo.Descriptor.Input()
	if (body == NoBody) != (rule.GetBody() == "") {
		return nil, errors.New("the method's options and its rule differ on whether there is a body")
	}
	operators := strings.HasPrefix(pattern, "/operador/") // contract.md 9
	route := &Route{
		Method: method, Pattern: pattern, RPC: metodo.RPC, Service: service,
		List: metodo.IsList(), File: metodo.IsFile(), Body: body, BodyLimit: opciones.MaxCuerpo,
		RefusesQuery: operators || strings.HasPrefix(pattern, "/cliente/") || strings.HasPrefix(pattern, "/institucion/"),
		responseBody: rule.GetResponseBody(), descriptor: metodo.Descriptor,
	}
	for _, exito := range metodo.Exitos {
		route.Exitos = append(route.Exitos, int(exito.GetHttp()))
	}
	// By path, so that a new route below it is not forgotten (contract.md 2).
	if strings.HasPrefix(pattern, "/cliente/registros") {
		route.BodyLimit = opciones.MaxCuerpoLote
	}
	if metodo.GetMaximoRegistros() > 0 {
		route.MaxRegistros = int(metodo.GetMaximoRegistros()) + 1
	}
	if body == Lenient {
		route.Style = Platform
	}
	switch {
	case metodo.Acceso.GetPublico():
	case slices.Contains(metodo.Acceso.GetRoles(), opcionesv1.Rol_ROL_INSTITUCION):
		route.Access = APIKey
	default:
		route.Access = Bearer
	}
	switch field := request.Fields().ByName(protoreflect.Name(rule.GetBody())); {
	case rule.GetBody() == "*":
		route.reads = request.FullName()
	case field != nil && field.Message() != nil:
		route.reads = field.Message().FullName()
	}
	// The other lists have no filters (contract.md 4.3).
	for i := range request.Fields().Len() {
		name := string(request.Fields().Get(i).Name())
		if operators && method == http.MethodGet && !strings.Contains(pattern, "{"+name+"}") {
			route.Filters = append(route.Filters, name)
		}
	}
	return route, nil
}

func methodOf(rule *annotations.HttpRule) (method, pattern string) {
	switch pattern := rule.GetPattern().(type) {
	case *annotations.HttpRule_Get:
		return http.MethodGet, pattern.Get
	case *annotations.HttpRule_Post:
		return http.MethodPost, pattern.Post
	case *annotations.HttpRule_Delete:
		return http.MethodDelete, pattern.Delete
	default:
		return "", ""
	}
}
