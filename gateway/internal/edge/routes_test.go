package edge

import (
	"encoding/json"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// TestRoutes_reachTheirRPC proves that the mux and the table agree on every route.
func TestRoutes_reachTheirRPC(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	for _, route := range s.edge.table.All() {
		if route.RPC == "" {
			continue
		}
		body := ""
		if route.Body != routes.NoBody {
			body = "{}"
		}
		path := pathOf(route)
		headers := append([]string{"X-API-Key", goodKey, "Authorization", goodToken, "Content-Type", "application/json"}, signed...)
		got := s.send(route.Method, path, body, headers...)
		want := route.Exitos[0]
		if path == "/cliente/registros" {
			want = http.StatusOK // nothing new
		}
		if got.StatusCode != want || !route.File && got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %d %s", route.Method, path, got.StatusCode, got.body)
		}
		if isArray := strings.HasPrefix(string(got.body), "["); isArray != (route.List && !route.File) {
			t.Errorf("%s %s: %s", route.Method, path, got.body)
		}
		if received := s.received(); received[len(received)-1] != route.RPC {
			t.Errorf("%s %s: reached %s, want %s", route.Method, path, received[len(received)-1], route.RPC)
		}
	}
}

// pathOf fills the parameters of a route's pattern.
func pathOf(route *routes.Route) string {
	return strings.NewReplacer("{id_empresa}", "AAA010101AAA", "{key_id}", "k1").Replace(route.Pattern)
}

func TestRoutes_everyVerbOnEveryPath(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	verbs := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FOO", "get", "PROPFIND"}
	for _, route := range s.edge.table.All() {
		path := pathOf(route)
		allowed := s.allowedAt(path)
		for _, verb := range verbs {
			if slices.Contains(allowed, verb) {
				continue
			}
			got := s.send(verb, path, "", "X-HTTP-Method-Override", route.Method, "Content-Type", "application/x-www-form-urlencoded")
			if got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != strings.Join(allowed, ", ") {
				t.Errorf("%s %s: got %d, Allow %q", verb, path, got.StatusCode, got.Header.Get("Allow"))
			}
			if verb == "HEAD" {
				continue
			}
			if got.field(t, "codigo") != "metodo_no_permitido" {
				t.Errorf("%s %s: got %s", verb, path, got.body)
			}
			_, isPlatform := mapOf(t, got.body)["error"]
			if isPlatform != (route.Body == routes.Lenient) {
				t.Errorf("%s %s: wrong style %s", verb, path, got.body)
			}
		}
	}
	// Whether there is the institution is asked; no RPC of a route is called.
	for _, rpc := range s.received() {
		if rpc != accesov1.AccesoService_CheckAcceso_FullMethodName {
			t.Errorf("a wrong verb reached %s", rpc)
		}
	}
}

// variable is one of a pattern.
var variable = regexp.MustCompile(`\{\w+\}`)

// allowedAt are the methods of all patterns that fit a path, in order.
func (s *stack) allowedAt(asked string) []string {
	var allowed []string
	for _, route := range s.edge.table.All() {
		fits, err := path.Match(variable.ReplaceAllString(route.Pattern, "*"), asked)
		if err != nil || !fits {
			continue
		}
		allowed = append(allowed, route.Method)
		if route.Method == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
	}
	slices.Sort(allowed)
	return allowed
}

func TestRoutes_unknownPaths(t *testing.T) {
	s := newStack(t, nil)
	for _, path := range []string{
		"/cliente/casos/", "//cliente/casos//", "/cliente/./casos", "/cliente/x/../casos", "/cliente%2Fcasos",
		"/%63liente/casos", "/CLIENTE/casos", "/nada", "/docs", "/redoc", "/openapi.json", "/metrics", "/debug/pprof/", "/readyz",
		"/i//login", "/i/a%2Fb/login", "/enlace.registros.v1.RegistroService/Ping", "/cliente/casos;x", "/favicon.ico",
	} {
		for _, verb := range []string{"GET", "POST", "OPTIONS"} {
			got := s.send(verb, path, "", "X-API-Key", goodKey)
			wantRefusal(t, got, http.StatusNotFound, "no_encontrado")
			if got.Header.Get("Location") != "" || got.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s %s: %v", verb, path, got.Header)
			}
		}
	}
	if calls := s.received(); len(calls) > 0 {
		t.Errorf("an unknown path reached %v", calls)
	}
}

// A base address that ends in a slash makes two of them.
func TestRoutes_aRunOfSlashesIsOne(t *testing.T) {
	for _, root := range []string{"", "/enlace"} {
		s := newStack(t, func(c *Config) { c.RootPath = root })
		s.everyRPC()
		for path, want := range map[string]string{
			"//cliente/casos":   registrosv1.CasoService_ListCasos_FullMethodName,
			"/cliente///casos":  registrosv1.CasoService_ListCasos_FullMethodName,
			root + "//":         integracionv1.InicioService_GetInicio_FullMethodName,
			root + "//reportes": "",
		} {
			got := s.get(path)
			if want == "" {
				wantRefusal(t, got, http.StatusNotFound, "no_encontrado")
				continue
			}
			if got.StatusCode != http.StatusOK || s.last(want) == nil {
				t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
			}
		}
		for _, path := range []string{root + "//login", "//" + root + "/login", root + "/i//LAB010101AB1//login"} {
			got := s.send("POST", path, `{}`)
			if got.StatusCode != http.StatusOK {
				t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
			}
		}
	}
}

func TestRoutes_oddTargets(t *testing.T) {
	s := newStack(t, nil)
	for _, line := range []string{"OPTIONS * HTTP/1.1", "CONNECT enlace.example:443 HTTP/1.1", "GET /%zz HTTP/1.1"} {
		response, err := http.ReadResponse(s.raw(line+"\r\nHost: x\r\nConnection: close\r\n\r\n"), nil)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusNotFound && response.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", line, response.Status)
		}
	}
}

func TestRootPath_worksOnAndOff(t *testing.T) {
	for _, root := range []string{"/enlace", "/enlace/v1", "/cliente"} {
		s := newStack(t, func(cfg *Config) { cfg.RootPath = root })
		s.everyRPC()
		for _, prefix := range []string{"", root} {
			if got := s.get(prefix + "/cliente/casos"); got.StatusCode != http.StatusOK {
				t.Errorf("%s/cliente/casos: %d %s", prefix, got.StatusCode, got.body)
			}
			if got := s.get(prefix + "/"); got.StatusCode != http.StatusOK {
				t.Errorf("%s/: %d %s", prefix, got.StatusCode, got.body)
			}
			got := s.post(prefix+"/cliente/registros", "x")
			wantRefusal(t, got, http.StatusBadRequest, "json_invalido")
			if got.field(t, "instance") != root+"/cliente/registros" ||
				got.field(t, "type") != "https://enlace.example"+root+"/errores/json_invalido" {
				t.Errorf("got %s", got.body)
			}
			got = s.get(prefix + "/nada")
			wantRefusal(t, got, http.StatusNotFound, "no_encontrado")
			if got.field(t, "instance") != root+"/nada" {
				t.Errorf("got %s", got.body)
			}
		}
		if got := s.get(root); got.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", root, got.StatusCode, got.body)
		}
		wantRefusal(t, s.get(root+"x/cliente/casos"), http.StatusNotFound, "no_encontrado")
		wantRefusal(t, s.get(root+root+"/health"), http.StatusNotFound, "no_encontrado")
	}
}

func TestHealth(t *testing.T) {
	s := newStack(t, nil)
	s.answer("/grpc.health.v1.Health/Check", &registrosv1.ValidateRegistrosResponse{Total: 1}) // status: SERVING
	got := s.send("GET", "/health", "")
	want := `{"estado":"ok","componentes":{"registros":"ok","integracion":"ok"}}`
	if got.StatusCode != http.StatusOK || string(got.body) != want {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
}

func mapOf(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var object map[string]any
	err := json.Unmarshal(body, &object)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return object
}
