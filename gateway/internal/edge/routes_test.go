package edge

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/testing/protocmp"

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
		want := route.Success
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
		allowed := s.allowedAt(route.Pattern)
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

// allowedAt are the methods of a path, in order.
func (s *stack) allowedAt(pattern string) []string {
	var allowed []string
	for _, route := range s.edge.table.All() {
		if route.Pattern != pattern {
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

func TestHead_isGetWithoutTheBody(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	s.answer("/grpc.health.v1.Health/Check", &registrosv1.PingRequest{})
	for _, encoding := range []string{"", "gzip"} {
		for _, path := range []string{"/", "/health", "/cliente/casos", "/cliente/coincidencias", "/cliente/reportes"} {
			get := s.get(path, "Accept-Encoding", encoding, "X-Request-ID", "r")
			head := s.send("HEAD", path, "", "X-API-Key", goodKey, "Accept-Encoding", encoding, "X-Request-ID", "r")
			if len(head.body) > 0 || head.StatusCode != get.StatusCode {
				t.Errorf("HEAD %s: %d %q", path, head.StatusCode, head.body)
			}
			get.Header.Del("Date")
			head.Header.Del("Date")
			if diff := cmp.Diff(get.Header, head.Header); diff != "" {
				t.Errorf("HEAD %s: %s", path, diff)
			}
		}
	}
}

func TestSaveRegistros_statusDependsOnWhatIsNew(t *testing.T) {
	s := newStack(t, nil)
	for created, want := range map[int32]int{0: http.StatusOK, 1: http.StatusCreated} {
		s.answer(registrosv1.RegistroService_SaveRegistros_FullMethodName, &registrosv1.SaveRegistrosResponse{Total: 1, Creados: created})
		got := s.post("/cliente/registros", `[]`)
		if got.StatusCode != want || got.Header.Get("Content-Length") == "" {
			t.Errorf("%d created: got %d, Content-Length %q", created, got.StatusCode, got.Header.Get("Content-Length"))
		}
	}
}

func TestAnswers_haveEveryField(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	tests := []struct{ got, want string }{
		{string(s.post("/cliente/sandbox/ping", "").body), `{"mensaje":"pong","id_empresa":"","nombre":"","ambiente":"","fecha":""}`},
		{string(s.post("/cliente/registros/validar", "[]").body), `{"total":0,"validos":0,"invalidos":0,"observaciones":[],"resumen":[],"observaciones_omitidas":0}`},
		{string(s.get("/cliente/casos").body), `[]`},
		{string(s.send("POST", "/login", "{}").body), `{"token":"jwt"}`},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

func TestBatch_theThreeShapes(t *testing.T) {
	s := newStack(t, nil)
	want := &registrosv1.SaveLoteRequest{Registros: []*registrosv1.Registro{{Folio: "A", Domicilio: &registrosv1.Direccion{Calle: "Juárez"}}}}
	s.on(registrosv1.RegistroService_SaveLote_FullMethodName, func(c *call) error {
		var got registrosv1.SaveLoteRequest
		c.receive(t, &got)
		if diff := cmp.Diff(want, &got, protocmp.Transform()); diff != "" {
			t.Error(diff)
		}
		return c.stream.SendMsg(&registrosv1.SaveLoteResponse{})
	})
	record := `{"folio":"A","domicilio":{"calle":"Juárez"}}`
	for _, body := range []string{record, "[" + record + "]", `{"registros":[` + record + `]}`} {
		got := s.post("/cliente/registros/lote", body)
		if got.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", body, got.StatusCode, got.body)
		}
	}
}

func TestBatch_anOversizedOneIsTheServicesToRefuse(t *testing.T) {
	s := newStack(t, nil)
	for path, rpc := range map[string]string{
		"/cliente/registros":         registrosv1.RegistroService_SaveRegistros_FullMethodName,
		"/cliente/registros/lote":    registrosv1.RegistroService_SaveLote_FullMethodName,
		"/cliente/registros/validar": registrosv1.RegistroService_ValidateRegistros_FullMethodName,
	} {
		received := make(chan int, 1)
		s.on(rpc, func(c *call) error {
			var got registrosv1.SaveLoteRequest
			c.receive(t, &got)
			received <- len(got.GetRegistros())
			return refusal(codes.InvalidArgument, "LOTE_EXCEDIDO", "Demasiados.")
		})
		got := s.post(path, "["+strings.Repeat(`{},`, 19_999)+"{}]")
		wantRefusal(t, got, http.StatusUnprocessableEntity, "lote_excedido")
		want := 5001
		if path == "/cliente/registros" {
			want = 101
		}
		if n := <-received; n != want {
			t.Errorf("%s: the service got %d records, want %d", path, n, want)
		}
	}
}

func TestPing_ignoresAnyJSON(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	for _, body := range []string{`{}`, `[]`, `null`, `7`, `"x"`, `{"a":1,"a":2}`, `{"mensaje":7}`} {
		if got := s.post("/cliente/sandbox/ping", body); got.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", body, got.StatusCode, got.body)
		}
	}
	got := s.send("POST", "/cliente/sandbox/ping", "", "X-API-Key", goodKey)
	if got.StatusCode != http.StatusOK {
		t.Errorf("no body and no type: %d %s", got.StatusCode, got.body)
	}
	wantRefusal(t, s.post("/cliente/sandbox/ping", "hola"), http.StatusBadRequest, "json_invalido")
	wantRefusal(t, s.post("/cliente/sandbox/ping", "{}{}"), http.StatusBadRequest, "json_invalido")
	got = s.send("POST", "/cliente/sandbox/ping", "{}", "X-API-Key", goodKey)
	wantRefusal(t, got, http.StatusUnsupportedMediaType, "tipo_no_admitido")
}

func TestPlatform_readsWhateverTheTypeSays(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	bodies := make(chan *integracionv1.ActivateReporteRequest, 1)
	s.on(integracionv1.ReporteService_ActivateReporte_FullMethodName, func(c *call) error {
		var got integracionv1.ActivateReporteRequest
		c.receive(t, &got)
		bodies <- &got
		return c.stream.SendMsg(&integracionv1.ActivateReporteResponse{Message: "ok"})
	})
	want := &integracionv1.ActivateReporteRequest{Activacion: &integracionv1.Activacion{Id: "X", Curp: "TEST010101HDFABC01"}}
	body := `{"id":"X","curp":"TEST010101HDFABC01","nombre":null,"campo_nuevo":{"a":[1]}}`
	for _, contentType := range []string{"", "application/x-www-form-urlencoded", "text/plain", ";;;", "multipart/form-data", "application/json"} {
		// Neither the address nor a form must be able to name another institution.
		got := s.send("POST", "/activar-reporte?id_empresa=OTRA&activacion.curp=OTRA", body,
			"Authorization", goodToken, "Content-Type", contentType)
		if got.StatusCode != http.StatusOK || string(got.body) != `{"message":"ok"}` {
			t.Errorf("%q: %d %s", contentType, got.StatusCode, got.body)
			continue
		}
		if diff := cmp.Diff(want, <-bodies, protocmp.Transform()); diff != "" {
			t.Errorf("%q: %s", contentType, diff)
		}
	}
	if line := s.log.wait(t, "ignored_fields"); !strings.Contains(line, `"ignored_fields":["campo_nuevo"]`) {
		t.Errorf("got %s", line)
	}

	got := s.send("POST", "/i/%C3%91%26A010101AAA/activar-reporte", body, "Authorization", goodToken)
	if request := <-bodies; got.StatusCode != http.StatusOK || request.GetIdEmpresa() != "Ñ&A010101AAA" {
		t.Errorf("got %d, %v", got.StatusCode, request)
	}
}

func TestPlatform_refusals(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	for _, body := range []string{`[]`, `"x"`, `7`, `null`, ``, `{`, `{"curp":7}`, `{"id":"X","id":"Y"}`, "{\"id\":\"\xff\"}", `{"id":"X"}{}`} {
		got := s.send("POST", "/activar-reporte", body, "Authorization", goodToken)
		wantRefusal(t, got, http.StatusBadRequest, "json_invalido")
		members := mapOf(t, got.body)
		texts, ok := members["errores"].([]any)
		if !ok || len(texts) != 1 || len(members) != 4 || got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s", body, got.body)
		}
	}
	got := s.send("POST", "/activar-reporte", `{"curp":7}`, "Authorization", goodToken)
	if !strings.Contains(string(got.body), "'curp': ") {
		t.Errorf("the field is not named: %s", got.body)
	}
	got = s.send("POST", "/desactivar-reporte", `{}`)
	wantRefusal(t, got, http.StatusUnauthorized, "credencial_ausente")
	if got.field(t, "error") != "Token no proporcionado" || got.Header.Get("WWW-Authenticate") != `Bearer realm="enlace"` {
		t.Errorf("got %s %v", got.body, got.Header)
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
