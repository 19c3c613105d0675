package edge

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/process/header"
)

func TestHeaders_onEveryAnswer(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	// What a service sends as headers and trailers stays inside.
	s.on(registrosv1.RegistroService_Ping_FullMethodName, func(c *call) error {
		_ = c.stream.SetHeader(metadata.Pairs("x-http-code", "299", "server", "x", "set-cookie", "a=b"))
		c.stream.SetTrailer(metadata.Pairs("x-request-id", "otro", "grpc-status-details", "x"))
		return c.stream.SendMsg(&registrosv1.PingResponse{})
	})
	s.fail(registrosv1.RegistroService_SaveLote_FullMethodName, status.Error(codes.Internal, "x"))
	answers := map[string]*answer{
		"200":       s.post("/cliente/sandbox/ping", "", "TE", "trailers"),
		"200 list":  s.get("/cliente/casos"),
		"304":       s.get("/cliente/casos", "If-None-Match", `W/"7"`),
		"400":       s.post("/cliente/registros", "x"),
		"401":       s.send("GET", "/cliente/casos", ""),
		"404":       s.send("GET", "/nada", ""),
		"405":       s.send("DELETE", "/login", ""),
		"415":       s.post("/cliente/registros", "x", "Content-Encoding", "br"),
		"500":       s.post("/cliente/registros/lote", "[]"),
		"503":       s.send("GET", "/health", ""),
		"platform":  s.send("POST", "/login", "{}"),
		"preflight": s.send("OPTIONS", "/cliente/casos", "", "Origin", "https://evil.example", "Access-Control-Request-Method", "GET"),
	}
	for name, got := range answers {
		want := map[string]string{
			"X-Content-Type-Options":      "nosniff",
			"Referrer-Policy":             "no-referrer",
			"X-Frame-Options":             "DENY",
			"Content-Security-Policy":     "default-src 'none'; frame-ancestors 'none'",
			"Cache-Control":               "no-store",
			"Strict-Transport-Security":   "",
			"Access-Control-Allow-Origin": "",
			"Server":                      "",
			"X-Powered-By":                "",
			"Set-Cookie":                  "",
			"Trailer":                     "",
			"Vary":                        "Accept-Encoding",
		}
		if name == "200 list" || name == "304" {
			want["Cache-Control"] = "private, no-cache"
		}
		for header, value := range want {
			if got.Header.Get(header) != value {
				t.Errorf("%s, %s: got %q, want %q", name, header, got.Header.Get(header), value)
			}
		}
		for header := range got.Header {
			if strings.HasPrefix(header, "Grpc-") || strings.HasPrefix(header, "X-Http") {
				t.Errorf("%s: %s leaks", name, header)
			}
		}
		if got.Header.Get("X-Request-ID") == "" || len(got.Trailer) > 0 {
			t.Errorf("%s: %v, trailers %v", name, got.Header, got.Trailer)
		}
	}
}

func TestHeaders_requestID(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	for _, id := range []string{"01J-z._9", "019eb4c0-1d5a-7000-8000-0123456789ab", strings.Repeat("a", 64)} {
		got := s.post("/cliente/sandbox/ping", "", "X-Request-ID", id)
		if got.Header.Get("X-Request-ID") != id {
			t.Errorf("%q came back as %q", id, got.Header.Get("X-Request-ID"))
		}
		received := s.last(registrosv1.RegistroService_Ping_FullMethodName).metadata.Get("x-request-id")
		if len(received) != 1 || received[0] != id {
			t.Errorf("%q reached the service as %q", id, received)
		}
		s.log.wait(t, `"request_id":"`+id+`"`)
	}
	seen := map[string]bool{}
	for _, id := range []string{"", "1234567", strings.Repeat("a", 65), "aaaaaaañ", "aaaa\tbbb", "mi id ~ 1", "PEXA900115HDFRXN06", "x-pexa900115hdfrxn06"} {
		got := s.post("/cliente/sandbox/ping", "", "X-Request-ID", id).Header.Get("X-Request-ID")
		if got == id || !header.IsRequestID(got) || seen[got] {
			t.Errorf("%q: got %q", id, got)
		}
		seen[got] = true
	}
}

// TestMetadata_isTheClosedList sends everything by which a client could try to speak to a
// service past its credential.
func TestMetadata_isTheClosedList(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	forged := []string{
		"Grpc-Metadata-Empresa-Id", "evil", "Grpc-Metadata-X-Api-Key", "evil", "Grpc-Metadata-Authorization", "evil",
		"Grpc-Metadata-X-Cliente-Ip", "evil", "X-Cliente-Ip", "evil", "Empresa-Id", "evil", "X-Forwarded-For", "6.6.6.6",
		"X-Forwarded-Host", "evil", "Forwarded", "for=6.6.6.6", "Cookie", "evil", "Referer", "evil", "Grpc-Timeout", "1n",
		"Grpc-Encoding", "evil", "Grpc-Trace-Bin", "evil", "Evil-Bin", "ZXZpbA==", "Permanent", "evil", "Accept-Language", "evil",
		"X-Request-ID", "r-1-test", "Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "Tracestate", "evil", "Baggage", "evil", "Warning", "evil", "Host", "evil",
	}
	want := metadata.MD{
		"x-api-key": {goodKey}, "authorization": {"Bearer otro"}, "x-request-id": {"r-1-test"},
		"x-cliente-ip": {"127.0.0.1"},
	}
	s.post("/cliente/sandbox/ping", "", append(forged, "Authorization", "Bearer otro")...)
	s.get("/cliente/casos", append(forged, "Authorization", "Bearer otro")...)
	s.post("/cliente/registros", "x", append(forged, "Authorization", "Bearer otro")...)
	for _, rpc := range []string{
		registrosv1.RegistroService_Ping_FullMethodName,
		registrosv1.CasoService_ListCasos_FullMethodName,
		accesov1.AccesoService_CheckAcceso_FullMethodName,
	} {
		got := s.last(rpc).metadata
		for _, own := range []string{":authority", "content-type", "user-agent", "grpc-accept-encoding"} {
			delete(got, own)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(rpc, diff)
		}
	}
}

func TestMetadata_anOpenRouteTellsNoCredential(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	s.send("POST", "/login", "{}", "Authorization", "Bearer x", "X-API-Key", "x")
	got := s.last("/enlace.integracion.v1.SesionService/Login").metadata
	for _, key := range []string{"authorization", "x-api-key"} {
		if len(got.Get(key)) > 0 {
			t.Errorf("%s: %v", key, got.Get(key))
		}
	}
}

func TestMetadata_twoKeysAreBothTold(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	got := s.post("/cliente/sandbox/ping", "", "X-API-Key", "otra")
	wantRefusal(t, got, http.StatusUnauthorized, "credencial_invalida")
}

func TestLocate(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	tests := []struct {
		name    string
		trusted []netip.Prefix
		headers []string
		client  string
		hsts    bool
	}{
		{"direct", trusted, nil, "127.0.0.1", false},
		{"nobody is trusted", nil, []string{"X-Forwarded-For", "1.2.3.4", "X-Forwarded-Proto", "https"}, "127.0.0.1", false},
		{"one proxy", trusted, []string{"X-Forwarded-For", "1.2.3.4", "X-Forwarded-Proto", "https"}, "1.2.3.4", true},
		{"plain at the proxy", trusted, []string{"X-Forwarded-For", "1.2.3.4", "X-Forwarded-Proto", "http"}, "1.2.3.4", false},
		{"two proxies", trusted, []string{"X-Forwarded-For", "1.2.3.4, 10.0.0.9"}, "1.2.3.4", false},
		{"what the client wrote is left of it", trusted, []string{"X-Forwarded-For", "6.6.6.6, 10.1.1.1, 1.2.3.4, 10.0.0.9"}, "1.2.3.4", false},
		{"several headers", trusted, []string{"X-Forwarded-For", "6.6.6.6", "X-Forwarded-For", "1.2.3.4"}, "1.2.3.4", false},
		{"IPv6", trusted, []string{"X-Forwarded-For", "2001:db8::1, fd00::2"}, "2001:db8::1", false},
		{"mapped IPv4", trusted, []string{"X-Forwarded-For", "::ffff:1.2.3.4"}, "1.2.3.4", false},
		{"nonsense", trusted, []string{"X-Forwarded-For", "1.2.3.4, unknown"}, "127.0.0.1", false},
		{"nonsense left of the client", trusted, []string{"X-Forwarded-For", "unknown, 1.2.3.4"}, "1.2.3.4", false},
		{"only proxies", trusted, []string{"X-Forwarded-For", "10.0.0.1, 10.0.0.2"}, "10.0.0.1", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStack(t, func(cfg *Config) { cfg.TrustedProxies = tt.trusted })
			s.everyRPC()
			got := s.post("/cliente/sandbox/ping", "", tt.headers...)
			told := s.last(registrosv1.RegistroService_Ping_FullMethodName).metadata.Get("x-cliente-ip")
			if len(told) != 1 || told[0] != tt.client {
				t.Errorf("client: got %v, want %s", told, tt.client)
			}
			if hsts := got.Header.Get("Strict-Transport-Security") != ""; hsts != tt.hsts {
				t.Errorf("HSTS: got %v, want %v", hsts, tt.hsts)
			}
		})
	}
}

func TestLocate_saysOnceThatAProxyIsNotTrusted(t *testing.T) {
	for _, tt := range []struct {
		trusted []netip.Prefix
		header  string
		want    int
	}{
		{nil, "X-Forwarded-For", 1},
		{nil, "X-Forwarded-Proto", 0},
		{[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, "X-Forwarded-For", 0},
	} {
		s := newStack(t, func(cfg *Config) { cfg.TrustedProxies = tt.trusted })
		for range 3 {
			s.get("/", tt.header, "1.2.3.4")
		}
		s.log.mu.Lock()
		told := strings.Count(s.log.content.String(), "TRUSTED_PROXIES")
		s.log.mu.Unlock()
		if got := testutil.ToFloat64(s.edge.metrics.untrusted); told != tt.want || int(got) != 3*tt.want {
			t.Errorf("%s with %v trusted: told %d times, counted %v", tt.header, tt.trusted, told, got)
		}
	}
}

func TestLog_holdsNothingOfTheRequest(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	const secret = "HEGG560427MVZRRL04"
	s.send("POST", "/i/"+secret+"/login?q="+secret, `{"usuario":"`+secret+`","x":1}`, "X-Otro", secret, "Authorization", secret, "User-Agent", secret)
	s.post("/cliente/registros", `{"`+secret+`":"`+secret+`"}`)
	s.get("/cliente/casos?" + secret + "=" + secret)
	s.get("/" + secret)
	s.send(secret, "/login", "")
	line := s.log.wait(t, `"method":"OTHER"`)
	for _, want := range []string{`"route":"/login"`, `"status":405`, `"codigo":"metodo_no_permitido"`, `"duration_us":`, `"bytes":`, `"request_id":`} {
		if !strings.Contains(line, want) {
			t.Errorf("%s is missing in %s", want, line)
		}
	}
	s.log.wait(t, `"route":"/i/{id_empresa}/login"`)
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if strings.Contains(s.log.content.String(), secret) {
		t.Errorf("the log tells too much:\n%s", s.log.content.String())
	}
}

func TestLog_namesTheAddressOfWhoIsRefused(t *testing.T) {
	s := newStack(t, nil)
	s.send("GET", "/cliente/casos", "")
	if line := s.log.wait(t, `"status":401`); !strings.Contains(line, `"client":"127.0.0.1"`) {
		t.Errorf("got %s", line)
	}
}

func TestCORS(t *testing.T) {
	s := newStack(t, func(cfg *Config) { cfg.CORSOrigins = []string{"https://sistema.example"} })
	s.everyRPC()
	const mine, evil = "https://sistema.example", "https://evil.example"

	got := s.get("/cliente/casos", "Origin", mine)
	if got.Header.Get("Access-Control-Allow-Origin") != mine || !strings.Contains(got.Header.Get("Access-Control-Expose-Headers"), "ETag") {
		t.Errorf("got %v", got.Header)
	}
	if vary := strings.Join(got.Header.Values("Vary"), ", "); vary != "Accept-Encoding, Origin" {
		t.Errorf("Vary: %s", vary)
	}
	got = s.send("OPTIONS", "/cliente/casos", "", "Origin", mine, "Access-Control-Request-Method", "GET")
	if got.StatusCode != http.StatusNoContent || got.Header.Get("Access-Control-Allow-Methods") != "GET, HEAD" || len(got.body) > 0 {
		t.Errorf("preflight: %d %v", got.StatusCode, got.Header)
	}
	for _, origin := range []string{evil, "null", "", mine + ".evil.example"} {
		got = s.send("OPTIONS", "/cliente/casos", "", "Origin", origin, "Access-Control-Request-Method", "GET")
		if got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%q: %d %v", origin, got.StatusCode, got.Header)
		}
	}
	if got = s.get("/cliente/casos", "Origin", evil); got.StatusCode != 200 || got.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("got %d %v", got.StatusCode, got.Header)
	}
	if got = s.send("OPTIONS", "/cliente/casos", "", "Origin", mine); got.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("OPTIONS that is no preflight: %d", got.StatusCode)
	}
	wantRefusal(t, s.send("OPTIONS", "/nada", "", "Origin", mine, "Access-Control-Request-Method", "GET"), 404, "no_encontrado")
}

func TestIsOrigin(t *testing.T) {
	for _, origin := range []string{"https://sistema.example", "http://localhost:3000"} {
		if !isOrigin(origin) {
			t.Errorf("%q was not taken", origin)
		}
	}
	for _, origin := range []string{"*", "", "null", "https://*", "https://a/", "https://a/b", "a.example", "ftp://a", "https://u@a"} {
		if isOrigin(origin) {
			t.Errorf("%q was taken", origin)
		}
	}
}
