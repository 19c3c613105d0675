package routes

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/proto/opciones"
)

// A Table holds every public route.
type Table struct {
	cfg   Config
	all   []*Route
	paths []*Path
}

// Config is what the routes of RPCs need to serve.
type Config struct {
	Conns Connections
	// FirstChunkTimeout bounds the wait for the first message of a list.
	FirstChunkTimeout time.Duration
	// WriteTimeout bounds one write of a list: a reader that stops reading is cut.
	WriteTimeout time.Duration
}

// Connections are the clients of the services, by service.
type Connections map[Service]*grpc.ClientConn

// NewTable builds the table from the services' descriptors, and the gateway's own routes.
func NewTable(cfg Config, locals ...Local) (*Table, error) {
	t := &Table{cfg: cfg}
	for _, public := range publicServices {
		err := t.addService(public)
		if err != nil {
			return nil, err
		}
	}
	for _, own := range locals {
		t.add(own.route())
	}
	return t, nil
}

// All gives every route, in the order of the protos, the gateway's own last.
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
	for _, binding := range append([]*annotations.HttpRule{rule}, rule.GetAdditionalBindings()...) {
		route, err := newRoute(binding, metodo)
		if err != nil {
			return err
		}
		route.Service = public.service
		route.Serve, err = t.handlerOf(route, binding, metodo)
		if err != nil {
			return err
		}
		t.add(route)
	}
	return nil
}

func (t *Table) handlerOf(route *Route, rule *annotations.HttpRule, metodo opciones.Metodo) (Handler, error) {
	conn := t.cfg.Conns[route.Service]
	if route.File {
		file, err := newFile(route, metodo, conn, t.cfg)
		if err != nil {
			return nil, err
		}
		return file.serve, nil
	}
	if route.List {
		list, err := newList(route, metodo, conn, t.cfg)
		if err != nil {
			return nil, err
		}
		return list.serve, nil
	}
	unary, err := newUnary(route, rule, metodo, conn)
	if err != nil {
		return nil, err
	}
	return unary.serve, nil
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

func (t *Table) add(route *Route) {
	t.all = append(t.all, route)
	i := slices.IndexFunc(t.paths, func(p *Path) bool { return p.Pattern == route.Pattern })
	if i < 0 {
		i = len(t.paths)
		t.paths = append(t.paths, &Path{Pattern: route.Pattern, methods: map[string]*Route{}})
	}
	t.paths[i].add(route)
}
