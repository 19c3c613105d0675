package routes

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/proto/opciones"
)

// A Table holds every public route and finds the one for a path.
type Table struct {
	all      []*Route
	byRPC    map[string]*Route // one of them, for what all bindings of an RPC share
	literals map[string]*Path
	patterns []*Path
}

// NewTable builds the table from the services' descriptors, and the gateway's own routes.
func NewTable(locals ...Local) (*Table, error) {
	t := &Table{byRPC: map[string]*Route{}, literals: map[string]*Path{}}
	for _, own := range locals {
		t.add(own.route())
	}
	for _, public := range publicServices {
		err := t.addService(public)
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// All gives every route, in the order of the protos.
func (t *Table) All() []*Route {
	return t.all
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
	if !metodo.IsList() && public.register == nil {
		return errors.New("the service of a unary RPC needs its generated registration")
	}
	for _, binding := range append([]*annotations.HttpRule{rule}, rule.GetAdditionalBindings()...) {
		route, err := newRoute(binding, metodo)
		if err != nil {
			return err
		}
		route.Service = public.service
		t.byRPC[metodo.RPC] = route
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
		Success:      int(metodo.Exitos[0].GetHttp()),
		Access:       accessOf(metodo.Acceso),
		Body:         body,
		BodyLimit:    bodyLimit(pattern),
		RefusesQuery: refusesQuery(pattern),
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

// responseBodyOf gives the field whose content is the whole answer.
func responseBodyOf(method protoreflect.MethodDescriptor) string {
	rule := proto.GetExtension(method.Options(), annotations.E_Http).(*annotations.HttpRule)
	return rule.GetResponseBody()
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

func (t *Table) add(route *Route) {
	t.all = append(t.all, route)
	path := t.pathOf(route.Pattern)
	path.methods[route.Method] = route
	if route.Method == http.MethodGet {
		path.methods[http.MethodHead] = route
	}
	path.allow = append(path.allow, route.Method)
	if route.Method == http.MethodGet {
		path.allow = append(path.allow, http.MethodHead)
	}
	slices.Sort(path.allow)
	path.Style = route.Style
}

// pathOf gives the entry of a pattern, made on first use.
func (t *Table) pathOf(pattern string) *Path {
	if known, ok := t.literals[pattern]; ok {
		return known
	}
	i := slices.IndexFunc(t.patterns, func(p *Path) bool { return p.Pattern == pattern })
	if i >= 0 {
		return t.patterns[i]
	}
	made := newPath(pattern)
	if made.isLiteral() {
		t.literals[pattern] = made
	} else {
		t.patterns = append(t.patterns, made)
	}
	return made
}
