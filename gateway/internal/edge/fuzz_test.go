package edge

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/http/httpguts"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// toldHeaders are those of which a service learns something, or that decide what it learns.
var toldHeaders = []string{"If-None-Match", "X-Request-Id", "X-Forwarded-For", "X-Forwarded-Proto", "X-Api-Key", "Authorization",
	"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature", "Content-Type", "Content-Encoding", "Traceparent"}

// FuzzHeaders sends whatever net/http lets through in each of them: what gRPC cannot carry
// is left out or refused, and never a failure of ours.
func FuzzHeaders(f *testing.F) {
	for i := range toldHeaders {
		for _, value := range []string{"\xe9", "\"\xe9\"", `W/"7"`, "ñ", "10.0.0.1, \xff", "Bearer \xc3", "a\tb", " ", "\u2028", "::1%zona"} {
			f.Add(uint(i), value)
		}
	}
	s := newForgetfulStack(f)
	f.Fuzz(func(t *testing.T, header uint, value string) {
		if !httpguts.ValidHeaderFieldValue(value) {
			return // net/http refuses it
		}
		for _, target := range []string{"GET /cliente/casos", "POST /webhooks/eventos", "POST /activar-reporte"} {
			s.wantNoFailure(t, target, toldHeaders[header%uint(len(toldHeaders))], value)
		}
	})
}

// FuzzParameters sends whatever an address can hold as a parameter of each kind of path.
func FuzzParameters(f *testing.F) {
	for _, value := range []string{"LAB010101AB1", "Ñ&A010101AB1", "\xe9", "a:b", ":revocar", "%41", "{id}", "*", "a/b", "=", "\u2028", ".."} {
		f.Add(value)
	}
	s := newForgetfulStack(f)
	f.Fuzz(func(t *testing.T, value string) {
		escaped := url.PathEscape(value)
		for _, target := range []string{"POST /i/" + escaped + "/login", "GET /webhooks/api-keys/" + escaped, "POST /webhooks/api-keys/" + escaped + "/revocar"} {
			s.wantNoFailure(t, target, "X-Request-Id", "a")
		}
	})
}

// newForgetfulStack starts a stack that can be asked for hours.
func newForgetfulStack(f *testing.F) *stack {
	f.Helper()
	s := newStack(f, func(cfg *Config) { cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	s.edge.log = slog.New(slog.DiscardHandler)
	s.everyRPC()
	return s
}

// wantNoFailure sends a request with good credentials and one header more, or another in
// place of its own.
func (s *stack) wantNoFailure(t *testing.T, target, name, value string) {
	t.Helper()
	method, path, _ := strings.Cut(target, " ")
	r := httptest.NewRequestWithContext(context.Background(), method, "http://enlace.example"+path, nil)
	if method == http.MethodPost {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	r.RemoteAddr = "127.0.0.1:1"
	r.Header = http.Header{"X-Api-Key": {goodKey}, "Authorization": {goodToken}, "Webhook-Id": {"a"}, "Webhook-Timestamp": {"1"}, "Webhook-Signature": {"v1,a"}}
	r.Header.Set(name, value)
	answer := httptest.NewRecorder()
	s.edge.ServeHTTP(answer, r)
	s.mu.Lock()
	s.calls = nil
	s.mu.Unlock()
	if answer.Code >= http.StatusInternalServerError {
		t.Errorf("%s with %s %q: %d %s", target, name, value, answer.Code, answer.Body)
	}
}

// The list itself must be what a tag of foreign bytes is answered with.
func TestList_aTagThatIsNoneIsPassedOver(t *testing.T) {
	s := newStack(t, nil)
	s.answer(casosRPC, &registrosv1.ListCasosResponse{Revision: "7"})
	got := s.get("/cliente/casos", "If-None-Match", "\"\xe9\"")
	if got.StatusCode != http.StatusOK || string(got.body) != "[]" {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
}
