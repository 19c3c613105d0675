package routes

import (
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
)

// A Path is the routes of one path pattern, by method.
type Path struct {
	Pattern string
	Style   httperr.Style

	methods map[string]*Route // HEAD wherever GET is (contract.md 2)
	allow   []string
}

func (p *Path) add(route *Route) {
	p.Style = route.Style
	p.methods[route.Method] = route
	p.allow = append(p.allow, route.Method)
	if route.Method == http.MethodGet {
		p.methods[http.MethodHead] = route
		p.allow = append(p.allow, http.MethodHead)
	}
	slices.Sort(p.allow)
}

// Route gives the route of a method, or nil.
func (p *Path) Route(method string) *Route {
	return p.methods[method]
}

// Allow lists the methods that the path takes, for the header of that name.
func (p *Path) Allow() string {
	return strings.Join(p.allow, ", ")
}

func (p *Path) isLiteral() bool {
	return !strings.Contains(p.Pattern, "{")
}

// maxParameter is far beyond any RFC or key id.
const maxParameter = 128

// isParameterValue tells whether a path parameter can mean anything: no separators, no dot
// segments, nothing invisible. An institution's id may have a "&" or an "Ñ".
func isParameterValue(value string) bool {
	if value == "" || len(value) > maxParameter || value == "." || value == ".." || !utf8.ValidString(value) {
		return false
	}
	return !strings.ContainsFunc(value, func(r rune) bool {
		return r == '/' || r == '\\' || !unicode.IsPrint(r)
	})
}
