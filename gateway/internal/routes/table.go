package routes

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/proto/opciones"
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
		err := t.addService(public)
		if err != nil {
			return nil, err
		}
	}
	for _, own := range locals {
		t.add(&Route{
			Method: http.MethodGet, Pattern: own.Pattern, Success: http.StatusOK,
			BodyLimit: opciones.MaxCuerpo, local: own.Handler,
		})
	}
	return t, nil
}

// All gives every route, in the order of the protos, the gateway's own last.
func (t *Table) All() []*Route {
	return t.all
}

// Of gives the route of a request that the mux has matched.
func (t *Table) Of(r *http.Request) *Route {
	pattern, _ := runtime.HTTPPattern(r.Context())
	// The runtime writes a variable as "{name=*}".
	return t.byKey[r.Method+" "+strings.ReplaceAll(pattern.String(), "=*}", "}")]
}

func (t *Table) add(route *Route) {
	t.all = append(t.all, route)
	t.byRPC[route.RPC] = route
	t.byKey[route.Method+" "+route.Pattern] = route
}

func (t *Table) addService(public publicService) error {
	metodos, err := opciones.Metodos(public.name)
	if err != nil {
		return err
	}
	for _, metodo := range metodos {
		err := t.addMethod(public, metodo)
		if err != nil {
			return fmt.Errorf("route %s: %w", metodo.RPC, err)
		}
	}
	return nil
}

func (t *Table) addMethod(public publicService, metodo opciones.Metodo) error {
	rule := metodo.Rule()
	if rule == nil {
		return nil
	}
	for _, binding := range append([]*annotations.HttpRule{rule}, rule.GetAdditionalBindings()...) {
		route, err := newRoute(binding, metodo)
		if err != nil {
			return err
		}
		route.Service = public.service
		t.add(route)
	}
	return nil
}

func newRoute(rule *annotations.HttpRule, metodo opciones.Metodo) (*Route, error) {
	method, pattern := methodOf(rule)
	if method == "" {
		return nil, errors.New("only GET and POST are public")
	}
	body := metodo.GetCuerpo()
	if (body == NoBody) != (rule.GetBody() == "") {
		return nil, errors.New("the method's options and its rule differ on whether there is a body")
	}
	route := &Route{
		Method:       method,
		Pattern:      pattern,
		RPC:          metodo.RPC,
		List:         metodo.IsList(),
		File:         metodo.IsFile(),
		Success:      int(metodo.Exitos[0].GetHttp()),
		Access:       accessOf(metodo.Acceso),
		Body:         body,
		BodyLimit:    bodyLimit(pattern),
		RefusesQuery: refusesQuery(pattern),
		Filters:      filtersOf(method, pattern, metodo.Descriptor.Input()),

		reads:        readsOf(rule, metodo.Descriptor.Input()),
		responseBody: rule.GetResponseBody(),
		descriptor:   metodo.Descriptor,
	}
	if len(metodo.Exitos) > 1 {
		route.nothingNew = int(metodo.Exitos[1].GetHttp())
	}
	if metodo.GetMaximoRegistros() > 0 {
		route.MaxRegistros = int(metodo.GetMaximoRegistros()) + 1
	}
	if body == Lenient {
		route.Style = httperr.Platform
	}
	return route, nil
}

func methodOf(rule *annotations.HttpRule) (method, pattern string) {
	switch {
	case rule.GetGet() != "":
		return http.MethodGet, rule.GetGet()
	case rule.GetPost() != "":
		return http.MethodPost, rule.GetPost()
	default:
		return "", ""
	}
}

// readsOf is the message that the body of a rule fills, "" for bytes or no body.
func readsOf(rule *annotations.HttpRule, request protoreflect.MessageDescriptor) protoreflect.FullName {
	switch rule.GetBody() {
	case "":
		return ""
	case "*":
		return request.FullName()
	}
	field := request.Fields().ByName(protoreflect.Name(rule.GetBody()))
	if field.Message() == nil {
		return ""
	}
	return field.Message().FullName()
}
