package consola_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/enlace-iis/enlace/gateway/internal/consola"
	"github.com/enlace-iis/enlace/gateway/internal/edge"
)

// newEdge is the gateway without services, which the console's pages do not need.
func newEdge(t *testing.T, enabled bool) http.Handler {
	t.Helper()
	locals, err := consola.Routes(enabled)
	if err != nil {
		t.Fatal(err)
	}
	made, err := edge.New(edge.Config{
		RootPath: "/enlace", PublicURL: "https://api.example.mx", Timeout: time.Minute, TimeoutClient: time.Minute,
	}, edge.Parts{Locals: locals, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func request(handler http.Handler, method, path string) *http.Response {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(method, path, nil))
	return recorder.Result()
}

func TestEdge_off(t *testing.T) {
	handler := newEdge(t, false)
	for _, path := range []string{"/consola", "/enlace/consola", "/consola/main.js"} {
		if answer := request(handler, http.MethodGet, path); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
}

func TestEdge_on(t *testing.T) {
	handler := newEdge(t, true)
	for _, tt := range []struct {
		method, path string
		status       int
		contentType  string
	}{
		{http.MethodGet, "/consola", http.StatusOK, "text/html; charset=utf-8"},
		{http.MethodGet, "/enlace/consola", http.StatusOK, "text/html; charset=utf-8"},
		{http.MethodHead, "/enlace/consola", http.StatusOK, "text/html; charset=utf-8"},
		{http.MethodGet, "/enlace/consola/main.js", http.StatusOK, "text/javascript; charset=utf-8"},
		{http.MethodGet, "/consola/style/base.css", http.StatusOK, "text/css; charset=utf-8"},
		{http.MethodGet, "/consola/icono.svg", http.StatusOK, "image/svg+xml"},
		{http.MethodGet, "/consola/", http.StatusNotFound, "application/problem+json"},
		{http.MethodGet, "/consola/index.html", http.StatusNotFound, "application/problem+json"},
		{http.MethodGet, "/consola/../doc.go", http.StatusNotFound, "application/problem+json"},
		{http.MethodPost, "/consola", http.StatusMethodNotAllowed, "application/problem+json"},
	} {
		answer := request(handler, tt.method, tt.path)
		if answer.StatusCode != tt.status || answer.Header.Get("Content-Type") != tt.contentType {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, answer.StatusCode, answer.Header.Get("Content-Type"))
		}
	}
}

// TestEdge_headers holds that a page has its own policy, once, a script the edge's, and that
// neither outlives the visit in a cache.
func TestEdge_headers(t *testing.T) {
	handler := newEdge(t, true)
	for path, wanted := range map[string]string{"/consola": "script-src 'self';", "/consola/main.js": "default-src 'none';"} {
		header := request(handler, http.MethodGet, path).Header
		policies := header.Values("Content-Security-Policy")
		if len(policies) != 1 || !strings.Contains(policies[0], wanted) {
			t.Errorf("%s: %v", path, policies)
		}
		for name, value := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
		} {
			if header.Get(name) != value {
				t.Errorf("%s: %s is %q", path, name, header.Get(name))
			}
		}
	}
}
