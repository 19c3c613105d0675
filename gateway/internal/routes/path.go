package routes

import (
	"net/url"
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

	segments []string
	methods  map[string]*Route // HEAD wherever GET is (contract.md 2)
	allow    []string
}

func newPath(pattern string) *Path {
	return &Path{
		Pattern:  pattern,
		segments: strings.Split(pattern, "/"),
		methods:  map[string]*Route{},
	}
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
	return !slices.ContainsFunc(p.segments, isParameter)
}

func isParameter(segment string) bool {
	return strings.HasPrefix(segment, "{")
}

// Match finds the path for an escaped request path, byte for byte: a trailing or doubled
// slash, a dot segment or an escaped letter makes another path, and there is none. decoded
// is the same path with its parameters unescaped. A literal path wins over a pattern.
func (t *Table) Match(escaped string) (path *Path, decoded string) {
	path, ok := t.literals[escaped]
	if ok {
		return path, escaped
	}
	for _, candidate := range t.patterns {
		decoded, ok := candidate.match(escaped)
		if ok {
			return candidate, decoded
		}
	}
	return nil, ""
}

func (p *Path) match(escaped string) (decoded string, ok bool) {
	given := strings.Split(escaped, "/")
	if len(given) != len(p.segments) {
		return "", false
	}
	for i, segment := range p.segments {
		if !isParameter(segment) {
			if given[i] != segment {
				return "", false
			}
			continue
		}
		value, err := url.PathUnescape(given[i])
		if err != nil || !isParameterValue(value) {
			return "", false
		}
		given[i] = value
	}
	return strings.Join(given, "/"), true
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
