package docs_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/enlace-iis/enlace/gateway/internal/docs"
	"github.com/enlace-iis/enlace/gateway/internal/edge"
)

// newEdge is the gateway without services, which the documentation does not need.
func newEdge(t *testing.T, cfg docs.Config) http.Handler {
	t.Helper()
	locals, err := docs.Routes(cfg)
	if err != nil {
		t.Fatal(err)
	}
	made, err := edge.New(edge.Config{
		RootPath: cfg.RootPath, PublicURL: cfg.PublicURL, Timeout: time.Minute, TimeoutClient: time.Minute,
	}, edge.Parts{Locals: locals, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func request(t *testing.T, handler http.Handler, method, path string) *http.Response {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(method, path, nil))
	return recorder.Result()
}

func TestEdge_off(t *testing.T) {
	handler := newEdge(t, docs.Config{PublicURL: "https://api.example.mx"})
	for _, path := range []string{"/docs", "/redoc", "/openapi.json", "/docs/docs.js", "/errores/otro"} {
		if answer := request(t, handler, http.MethodGet, path); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
	if answer := request(t, handler, http.MethodGet, "/errores/validacion"); answer.StatusCode != http.StatusOK {
		t.Errorf("the explanation of an error: %d", answer.StatusCode)
	}
}

func TestEdge_on(t *testing.T) {
	handler := newEdge(t, docs.Config{Enabled: true, PublicURL: "https://api.example.mx", RootPath: "/enlace"})
	tests := []struct {
		method, path string
		status       int
		contentType  string
	}{
		{http.MethodGet, "/docs", http.StatusOK, "text/html; charset=utf-8"},
		{http.MethodGet, "/enlace/docs", http.StatusOK, "text/html; charset=utf-8"},
		{http.MethodHead, "/enlace/redoc", http.StatusOK, "text/html; charset=utf-8"},
		{http.MethodGet, "/enlace/redoc/redoc.standalone.js", http.StatusOK, "text/javascript; charset=utf-8"},
		{http.MethodGet, "/enlace/openapi.json", http.StatusOK, "application/json"},
		{http.MethodGet, "/enlace/errores/validacion", http.StatusOK, "text/html; charset=utf-8"},
		{http.MethodGet, "/enlace/errores/otro", http.StatusNotFound, "application/problem+json"},
		{http.MethodGet, "/enlace/docs/", http.StatusNotFound, "application/problem+json"},
		{http.MethodPost, "/enlace/docs", http.StatusMethodNotAllowed, "application/problem+json"},
	}
	for _, tt := range tests {
		answer := request(t, handler, tt.method, tt.path)
		if answer.StatusCode != tt.status || answer.Header.Get("Content-Type") != tt.contentType {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, answer.StatusCode, answer.Header.Get("Content-Type"))
		}
		if answer.Header.Get("X-Content-Type-Options") != "nosniff" || answer.Header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s %s lacks the headers of every answer: %v", tt.method, tt.path, answer.Header)
		}
	}
}

// TestEdge_policy holds that each page has its own policy, once, and all else the edge's.
func TestEdge_policy(t *testing.T) {
	handler := newEdge(t, docs.Config{Enabled: true, PublicURL: "https://api.example.mx"})
	for path, wanted := range map[string]string{"/docs": "script-src 'self';", "/redoc": "script-src 'self';", "/docs/docs.js": "default-src 'none';", "/errores/validacion": "default-src 'none';"} {
		policies := request(t, handler, http.MethodGet, path).Header.Values("Content-Security-Policy")
		if len(policies) != 1 || !strings.Contains(policies[0], wanted) || strings.Contains(policies[0], "script-src 'self' 'unsafe") {
			t.Errorf("%s: %v", path, policies)
		}
	}
}

func TestEdge_document(t *testing.T) {
	handler := newEdge(t, docs.Config{Enabled: true, PublicURL: "https://api.example.mx", RootPath: "/enlace"})
	body, err := io.ReadAll(request(t, handler, http.MethodGet, "/enlace/openapi.json").Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(body), `"url": "https://api.example.mx/enlace"`) || strings.Contains(string(body), "enlace.example") {
		t.Error("the document has another address")
	}
}
