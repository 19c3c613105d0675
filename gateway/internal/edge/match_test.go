package edge

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
)

// find gives what the mux finds for a path as received.
func (s *stack) find(method, path string) *record {
	s.t.Helper()
	seen := &record{}
	r := &http.Request{Method: method, URL: &url.URL{Path: path}, Header: http.Header{}, Body: http.NoBody}
	s.edge.lookUp(httptest.NewRecorder(), r.WithContext(context.WithValue(s.t.Context(), recordKey{}, seen)), path)
	return seen
}

func TestMux_findsThePath(t *testing.T) {
	tests := []struct {
		path      string
		pattern   string // "" for none
		parameter string
	}{
		{"/", "/", ""},
		{"/login", "/login", ""},
		{"/cliente/casos", "/cliente/casos", ""},
		{"/i/AAA010101AAA/login", "/i/{id_empresa}/login", "AAA010101AAA"},
		{"/i/A%26B010101AAA/login", "/i/{id_empresa}/login", "A&B010101AAA"},
		{"/i/%C3%91AA010101AAA/activar-reporte", "/i/{id_empresa}/activar-reporte", "ÑAA010101AAA"},

		{"", "", ""},
		{"*", "", ""},
		{"/login/", "", ""},
		{"//login", "", ""},
		{"/./login", "", ""},
		{"/x/../login", "", ""},
		{"/Login", "", ""},
		{"/%6Cogin", "", ""},
		{"/login%00", "", ""},
		{"/login%2F", "", ""},
		{"/login;a=b", "", ""},
		{"/cliente//casos", "", ""},
		{"/cliente%2Fcasos", "", ""},
		{"/i//login", "", ""},
		{"/i/login", "", ""},
		{"/i/./login", "", ""},
		{"/i/%2e%2e/login", "", ""},
		{"/i/a%2Fb/login", "", ""},
		{"/i/a%5Cb/login", "", ""},
		{"/i/a%00b/login", "", ""},
		{"/i/a%0Ab/login", "", ""},
		{"/i/%FF/login", "", ""},
		{"/i/%zz/login", "", ""},
		{"/i/" + strings.Repeat("A", 129) + "/login", "", ""},
		{"/i/AAA010101AAA/login/", "", ""},
		{"/i/AAA010101AAA/log%69n", "", ""},
		{"/webhooks/api-keys/AAA010101AAA", "/webhooks/api-keys/{id_empresa}", "AAA010101AAA"},
		{"/webhooks/api-keys/a:b", "/webhooks/api-keys/{id_empresa}", "a:b"},
		{"/webhooks/api-keys/eventos/revocar", "/webhooks/api-keys/{key_id}/revocar", "eventos"},
		{"/webhooks/api-keys/", "", ""},
		{"/webhooks/api-keys/a/b", "", ""},
		{"/cliente", "", ""},
		{"/webhooks", "", ""},
		{"/enlace.registros.v1.RegistroService/Ping", "", ""},
	}
	s := newStack(t, nil)
	s.everyRPC()
	for _, tt := range tests {
		for _, method := range []string{"GET", "POST"} {
			x := s.find(method, tt.path)
			parameter := ""
			if x.match != nil {
				parameter = x.match.parameters["id_empresa"] + x.match.parameters["key_id"]
			}
			if x.pattern() != tt.pattern || parameter != tt.parameter {
				t.Errorf("%s %q: got %q with %q, want %q with %q", method, tt.path, x.pattern(), parameter, tt.pattern, tt.parameter)
			}
		}
	}
}

// A literal path wins over a pattern, in whichever order they are given.
func TestMux_prefersALiteralPath(t *testing.T) {
	for _, patterns := range [][]string{{"/a/{x}", "/a/b"}, {"/a/b", "/a/{x}"}} {
		var locals []routes.Local
		for _, pattern := range patterns {
			locals = append(locals, routes.Local{Pattern: pattern, Handler: http.NotFoundHandler()})
		}
		if got := newStack(t, nil, locals...).find("GET", "/a/b").pattern(); got != "/a/b" {
			t.Errorf("%v: got %s", patterns, got)
		}
	}
}

func TestMux_styleIsThePlatforms(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	for _, path := range []string{"/login", "/activar-reporte", "/activar-reporte-prueba", "/desactivar-reporte",
		"/i/X/login", "/i/X/activar-reporte", "/i/X/activar-reporte-prueba", "/i/X/desactivar-reporte"} {
		for _, method := range []string{"POST", "PUT"} {
			if s.find(method, path).match.route.Style != routes.Platform {
				t.Errorf("%s %s: not in the manual's style", method, path)
			}
		}
	}
}
