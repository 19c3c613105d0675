package routes

import (
	"fmt"
	"net/http"
	"slices"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
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
	descriptor, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(public.name))
	if err != nil {
		return fmt.Errorf("find service %s: %w", public.name, err)
	}
	methods := descriptor.(protoreflect.ServiceDescriptor).Methods()
	for i := range methods.Len() {
		err := t.addMethod(public, methods.Get(i))
		if err != nil {
			return fmt.Errorf("route %s: %w", methods.Get(i).FullName(), err)
		}
	}
	return nil
}

func (t *Table) addMethod(public publicService, method protoreflect.MethodDescriptor) error {
	rule, ok := proto.GetExtension(method.Options(), annotations.E_Http).(*annotations.HttpRule)
	if !ok || rule == nil {
		return nil
	}
	rpc := fmt.Sprintf("/%s/%s", public.name, method.Name())
	more, ok := extras[rpc]
	if !ok {
		return fmt.Errorf("the RPC has no line in extras.go")
	}
	if !method.IsStreamingServer() && public.register == nil {
		return fmt.Errorf("the service of a unary RPC needs its generated registration")
	}
	for _, binding := range append([]*annotations.HttpRule{rule}, rule.GetAdditionalBindings()...) {
		route, err := newRoute(binding, rpc, more)
		if err != nil {
			return err
		}
		route.Service = public.service
		route.List = method.IsStreamingServer()
		t.byRPC[rpc] = route
		t.add(route)
	}
	return nil
}

func newRoute(rule *annotations.HttpRule, rpc string, more extra) (*Route, error) {
	method, pattern := methodOf(rule)
	if method == "" {
		return nil, fmt.Errorf("only GET and POST are public")
	}
	if (more.body == NoBody) != (rule.GetBody() == "") {
		return nil, fmt.Errorf("extras.go and the rule differ on whether there is a body")
	}
	return &Route{
		Method:       method,
		Pattern:      pattern,
		RPC:          rpc,
		Success:      max(more.success, http.StatusOK),
		status:       more.status,
		Style:        more.style,
		Access:       more.access,
		Body:         more.body,
		BodyLimit:    bodyLimit(pattern),
		MaxRegistros: more.maxRegistros,
		RefusesQuery: refusesQuery(pattern),
	}, nil
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
