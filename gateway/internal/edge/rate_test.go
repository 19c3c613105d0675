package edge

import (
	"fmt"
	"net/http"
	"net/netip"
	"testing"

	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
)

// exhaust uses up the tokens of an address without waiting for any to come back.
func exhaust(l *limiter, client string) {
	addr := netip.MustParseAddr(client)
	for l.bucketOf(addr).requests.Allow() {
	}
}

func TestRate_refusal(t *testing.T) {
	s := newStack(t, func(cfg *Config) { cfg.RateLimit = 1 })
	s.everyRPC()
	s.edge.limiter.bucketOf(netip.MustParseAddr("127.0.0.1")).requests.SetLimit(0)
	exhaust(s.edge.limiter, "127.0.0.1")

	got := s.post("/cliente/registros", "x", "Content-Encoding", "br")
	wantRefusal(t, got, http.StatusTooManyRequests, "demasiadas_solicitudes")
	for header, want := range map[string]string{
		"Retry-After": "1", "RateLimit-Policy": `"ip";q=1;w=1`, "RateLimit": `"ip";r=0;t=1`,
	} {
		if got.Header.Get(header) != want {
			t.Errorf("%s: got %q, want %q", header, got.Header.Get(header), want)
		}
	}
	got = s.send("POST", "/login", "{}")
	wantRefusal(t, got, http.StatusTooManyRequests, "demasiadas_solicitudes")
	if _, isPlatform := mapOf(t, got.body)["error"]; !isPlatform {
		t.Errorf("not in the manual's style: %s", got.body)
	}
}

// TestRate_comesAfterTheCredentials, as contract.md section 8 has it, until the questions
// themselves are too many.
func TestRate_comesAfterTheCredentials(t *testing.T) {
	s := newStack(t, func(cfg *Config) { cfg.RateLimit = 2 })
	s.everyRPC()
	bucket := s.edge.limiter.bucketOf(netip.MustParseAddr("127.0.0.1"))
	bucket.requests.SetLimit(0)
	bucket.questions.SetLimit(0)
	exhaust(s.edge.limiter, "127.0.0.1")

	wantRefusal(t, s.send("GET", "/nada", ""), 404, "no_encontrado")
	wantRefusal(t, s.send("PUT", "/cliente/casos", ""), 405, "metodo_no_permitido")
	wantRefusal(t, s.send("GET", "/cliente/casos", ""), 401, "credencial_ausente")
	wantRefusal(t, s.send("GET", "/cliente/casos", "", "X-API-Key", "mala"), 401, "credencial_invalida")
	wantRefusal(t, s.get("/cliente/casos"), 429, "demasiadas_solicitudes")
	if calls := s.received(); len(calls) != 2 || calls[0] != accesov1.AccesoService_CheckAcceso_FullMethodName {
		t.Errorf("got %v", calls)
	}
	// Two questions were the limit: a flood does not pass on.
	wantRefusal(t, s.send("GET", "/cliente/casos", "", "X-API-Key", "mala"), 429, "demasiadas_solicitudes")
	if calls := s.received(); len(calls) != 2 {
		t.Errorf("the service was asked again: %v", calls)
	}
}

// TestRate_withoutACredentialNobodyPasses: who has none is not limited before it is refused,
// but what is asked on its account is.
func TestRate_withoutACredentialNobodyPasses(t *testing.T) {
	s := newStack(t, func(cfg *Config) { cfg.RateLimit, cfg.RateBurst = 2, 3 })
	s.everyRPC()
	bucket := s.edge.limiter.bucketOf(netip.MustParseAddr("127.0.0.1"))
	bucket.requests.SetLimit(0)
	bucket.questions.SetLimit(0)
	for _, request := range []struct{ method, path string }{
		{"POST", "/i/LAB010101AB1/activar-reporte"}, {"GET", "/i/LAB010101AB1/login"},
	} {
		for range 10 {
			s.send(request.method, request.path, "")
		}
		wantRefusal(t, s.send(request.method, request.path, ""), 429, "demasiadas_solicitudes")
	}
	// Three within the limit, and two beyond it.
	if calls := s.received(); len(calls) != 5 {
		t.Errorf("a service was asked %d times: %v", len(calls), calls)
	}
	wantRefusal(t, s.send("POST", "/activar-reporte", ""), 401, "credencial_ausente")
}

func TestRate_isByAddress(t *testing.T) {
	s := newStack(t, func(cfg *Config) {
		cfg.RateLimit, cfg.RateBurst = 1, 3
		cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	s.everyRPC()
	s.edge.limiter.bucketOf(netip.MustParseAddr("1.2.3.4")).requests.SetLimit(0)
	for i := range 5 {
		want := 200
		if i >= 3 {
			want = 429
		}
		if got := s.get("/", "X-Forwarded-For", "1.2.3.4"); got.StatusCode != want {
			t.Errorf("request %d: got %d, want %d", i, got.StatusCode, want)
		}
	}
	if got := s.get("/", "X-Forwarded-For", "1.2.3.5"); got.StatusCode != 200 {
		t.Errorf("another address: got %d", got.StatusCode)
	}
}

// The platform's networks have a limit of their own, at the platform's routes alone.
func TestRate_ofThePlatform(t *testing.T) {
	s := newStack(t, func(cfg *Config) {
		cfg.RateLimit, cfg.RateBurst = 1, 3
		cfg.PuiRateLimit, cfg.PuiRateBurst = 1, 20
		cfg.PuiNetworks = []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}
		cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	s.everyRPC()
	for _, each := range []struct {
		address, path string
		limiter       *limiter
		want          int
	}{
		{address: "203.0.113.1", path: "/login", limiter: s.edge.pui, want: 20},
		{address: "203.0.113.1", path: "/cliente/registros", limiter: s.edge.limiter, want: 3},
		{address: "198.51.100.1", path: "/login", limiter: s.edge.limiter, want: 3},
	} {
		each.limiter.bucketOf(netip.MustParseAddr(each.address)).requests.SetLimit(0)
		passed := 0
		for range 30 {
			if s.post(each.path, "[]", "X-Forwarded-For", each.address).StatusCode != http.StatusTooManyRequests {
				passed++
			}
		}
		if passed != each.want {
			t.Errorf("%s at %s: %d passed, want %d", each.address, each.path, passed, each.want)
		}
	}
}

func TestLimiter_isBounded(t *testing.T) {
	l := newLimiter(1, 1)
	for i := range 2 * maxAddresses {
		l.bucketOf(netip.MustParseAddr(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)))
	}
	l.buckets.CleanUp()
	if got := l.buckets.EstimatedSize(); got > maxAddresses {
		t.Errorf("got %d addresses, want at most %d", got, maxAddresses)
	}
}

func TestLimiter_off(t *testing.T) {
	if newLimiter(0, 100) != nil {
		t.Error("a rate of zero limits")
	}
}
