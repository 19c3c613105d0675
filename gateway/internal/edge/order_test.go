package edge

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

const tooLarge = 16<<20 + 1

// TestOrder_ofRefusals breaks several rules at once; the earliest of contract.md section 8
// must be the one that is told: 404, 405, 401, 403, 429, 413, 415, 400, 422.
func TestOrder_ofRefusals(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	s.fail(registrosv1.RegistroService_SaveLote_FullMethodName, refusal(codes.InvalidArgument, "VALIDACION", "No es válido."))

	bad := func(n int) string { return strings.Repeat("x", n) }
	tests := []struct {
		name         string
		method, path string
		key          string
		contentType  string
		body         string
		status       int
		codigo       string
	}{
		{"unknown path", "FOO", "/cliente/nada?page=1", "", "text/plain", bad(9), 404, "no_encontrado"},
		{"wrong verb", "PUT", "/cliente/registros/lote?page=1", "", "text/plain", bad(9), 405, "metodo_no_permitido"},
		{"no credential, all else wrong", "POST", "/cliente/registros/lote?page=1", "", "text/plain", bad(9), 401, "credencial_ausente"},
		{"no credential, blank", "POST", "/cliente/registros/lote", " ", "text/plain", bad(9), 401, "credencial_ausente"},
		{"no credential, too large", "POST", "/cliente/registros/lote", "", "application/json", bad(tooLarge), 401, "credencial_ausente"},
		{"wrong credential, too large", "POST", "/cliente/registros/lote", "mala", "text/plain", bad(tooLarge), 401, "credencial_invalida"},
		{"wrong credential, type", "POST", "/cliente/registros/lote?page=1", "mala", "text/plain", bad(9), 401, "credencial_invalida"},
		{"wrong credential, not JSON", "POST", "/cliente/registros/lote", "mala", "application/json", bad(9), 401, "credencial_invalida"},
		{"wrong credential, query", "POST", "/cliente/registros/lote?page=1", "mala", "application/json", "[]", 401, "credencial_invalida"},
		{"wrong credential, query of a list", "GET", "/cliente/casos?page=1", "mala", "", "", 401, "credencial_invalida"},
		{"wrong credential, empty body", "POST", "/cliente/registros/lote", "mala", "", "", 401, "credencial_invalida"},
		{"no permission, too large", "POST", "/cliente/registros/lote", "sin permiso", "text/plain", bad(tooLarge), 403, "sin_permiso"},
		{"no permission, not JSON", "POST", "/cliente/registros/lote", "sin permiso", "application/json", bad(9), 403, "sin_permiso"},
		{"credential that gRPC cannot carry", "POST", "/cliente/registros/lote", "llave-ñ", "text/plain", bad(9), 401, "credencial_invalida"},
		{"too large, type, query", "POST", "/cliente/registros/lote?page=1", goodKey, "text/plain", bad(tooLarge), 413, "cuerpo_demasiado_grande"},
		{"type, query, not JSON", "POST", "/cliente/registros/lote?page=1", goodKey, "text/plain", bad(9), 415, "tipo_no_admitido"},
		{"query, not JSON", "POST", "/cliente/registros/lote?page=1", goodKey, "application/json", bad(9), 400, "parametro_no_admitido"},
		{"not JSON", "POST", "/cliente/registros/lote", goodKey, "application/json", bad(9), 400, "json_invalido"},
		{"content", "POST", "/cliente/registros/lote", goodKey, "application/json", "[{}]", 422, "validacion"},
		{"query of a list", "GET", "/cliente/casos?page=1", goodKey, "", "", 400, "parametro_no_admitido"},
		{"large, not JSON, wrong credential", "POST", "/cliente/registros/lote", "mala", "application/json", bad(1 << 20), 401, "credencial_invalida"},
		{"large, not JSON", "POST", "/cliente/registros/lote", goodKey, "application/json", bad(1 << 20), 400, "json_invalido"},
		{"1 MiB elsewhere", "POST", "/cliente/sandbox/ping", goodKey, "text/plain", bad(1<<20 + 1), 413, "cuerpo_demasiado_grande"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var headers []string
			if tt.key != "" {
				headers = append(headers, "X-API-Key", tt.key)
			}
			if tt.contentType != "" {
				headers = append(headers, "Content-Type", tt.contentType)
			}
			wantRefusal(t, s.send(tt.method, tt.path, tt.body, headers...), tt.status, tt.codigo)
		})
	}
}

func TestOrder_chunkedIsJudgedAlike(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	tests := []struct {
		key, contentType string
		size             int
		status           int
	}{
		{"mala", "application/json", tooLarge, 401},
		{goodKey, "text/plain", tooLarge, 413},
		{goodKey, "text/plain", 9, 415},
		{goodKey, "application/json", 9, 400},
	}
	for _, tt := range tests {
		request, err := http.NewRequestWithContext(t.Context(), "POST", s.server.URL+"/cliente/registros/lote",
			onlyReader{strings.NewReader(strings.Repeat("x", tt.size))})
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-API-Key", tt.key)
		request.Header.Set("Content-Type", tt.contentType)
		if got := s.do(request); got.StatusCode != tt.status {
			t.Errorf("%+v: got %d %s", tt, got.StatusCode, got.body)
		}
	}
}

// TestOrder_nobodysBodyIsNotRead sends the headers of a large body and nothing of it: a
// stranger must be refused without it, and a client that waits for 100 must not be told to
// go on.
func TestOrder_nobodysBodyIsNotRead(t *testing.T) {
	for name, headers := range map[string]string{
		"announced":            "Content-Length: 15000000\r\n",
		"chunked":              "Transfer-Encoding: chunked\r\n",
		"waiting for 100":      "Content-Length: 15000000\r\nExpect: 100-continue\r\n",
		"announced, too large": "Content-Length: 99000000\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, nil)
			response, err := http.ReadResponse(s.raw("POST /cliente/registros/lote HTTP/1.1\r\nHost: x\r\n"+
				"X-API-Key: mala\r\nContent-Type: application/json\r\n"+headers+"\r\n"), nil)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != http.StatusUnauthorized {
				t.Errorf("got %s", response.Status)
			}
			asked := s.last(accesov1.AccesoService_CheckAcceso_FullMethodName)
			if got := asked.metadata.Get("x-api-key"); len(got) != 1 || got[0] != "mala" {
				t.Errorf("asked with %v", asked.metadata)
			}
		})
	}
}

func TestOrder_withoutACredentialNobodyIsAsked(t *testing.T) {
	s := newStack(t, nil)
	response, err := http.ReadResponse(s.raw("POST /cliente/registros/lote HTTP/1.1\r\nHost: x\r\n"+
		"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n[]"), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized || response.Header.Get("WWW-Authenticate") != `ApiKey realm="enlace"` {
		t.Errorf("got %s %v", response.Status, response.Header)
	}
	if calls := s.received(); len(calls) > 0 {
		t.Errorf("asked %v", calls)
	}
}

func TestOrder_theServiceIsAskedAboutTheRPCOfTheRoute(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	questions := s.questions()
	const saveRPC, loteRPC = registrosv1.RegistroService_SaveRegistros_FullMethodName, registrosv1.RegistroService_SaveLote_FullMethodName

	wantRefusal(t, s.post("/cliente/registros", "x"), 400, "json_invalido")
	wantQuestions(t, questions, saveRPC+" MOTIVO_JSON_INVALIDO")
	wantRefusal(t, s.send("POST", "/cliente/registros", "x", "X-API-Key", goodKey), 415, "tipo_no_admitido")
	wantQuestions(t, questions, saveRPC+" MOTIVO_TIPO_NO_ADMITIDO")
	wantRefusal(t, s.post("/cliente/registros/lote", strings.Repeat("x", tooLarge)), 413, "cuerpo_demasiado_grande")
	wantQuestions(t, questions, loteRPC+" MOTIVO_CUERPO_DEMASIADO_GRANDE")
	// Before a large body is read, the service is asked without a refusal to tell it of.
	wantRefusal(t, s.post("/cliente/registros/lote", strings.Repeat("x", 100_000)), 400, "json_invalido")
	wantQuestions(t, questions, loteRPC+" MOTIVO_UNSPECIFIED", loteRPC+" MOTIVO_JSON_INVALIDO")
	got := s.post("/cliente/registros/lote", "[]"+strings.Repeat(" ", 100_000))
	if got.StatusCode != http.StatusOK {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
	wantQuestions(t, questions, loteRPC+" MOTIVO_UNSPECIFIED")
}

// Nobody's credentials are judged at a login. Of one that cannot be read the service is told all the
// same, so that it stands in the Bitácora; one that can be read is the service's own.
func TestRefuse_tellsOfALoginThatCannotBeRead(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	s.mu.Lock()
	s.open[accesov1.AccesoService_CheckAcceso_FullMethodName] = true
	s.mu.Unlock()
	questions := s.questions()
	for body, want := range map[string][]string{
		"x":                             {integracionv1.SesionService_Login_FullMethodName + " MOTIVO_JSON_INVALIDO"},
		strings.Repeat(" ", tooLarge):   {integracionv1.SesionService_Login_FullMethodName + " MOTIVO_CUERPO_DEMASIADO_GRANDE"},
		`{"usuario":"PUI","clave":"c"}`: nil,
	} {
		got := s.send("POST", "/login", body)
		if refused := got.StatusCode >= 400; refused != (want != nil) {
			t.Errorf("%.40s: got %d", body, got.StatusCode)
		}
		wantQuestions(t, questions, want...)
	}
}

// Of an activation that cannot be read the service is told the id, if that can be.
func TestRefuse_tellsTheIDOfWhatCannotBeRead(t *testing.T) {
	s := newStack(t, nil)
	ids := make(chan string, 10)
	s.on(accesov1.AccesoService_CheckAcceso_FullMethodName, func(c *call) error {
		var question accesov1.CheckAccesoRequest
		c.receive(s.t, &question)
		ids <- question.GetReporteId()
		return c.stream.SendMsg(&accesov1.CheckAccesoResponse{})
	})
	for body, want := range map[string]string{
		`{"id":"A-1","telefono":5512345678}`: "A-1", `{"telefono":5512345678,"id":"A-1"}`: "A-1", `{"id":"A-1","nombre":x}`: "A-1",
		`{"id":7}`: "", `{"id":"` + strings.Repeat("x", 200) + `","curp":7}`: "", `[]`: "", `x`: "",
	} {
		got := s.send("POST", "/activar-reporte", body, "Authorization", goodToken)
		if got.StatusCode != http.StatusBadRequest || len(ids) != 1 {
			t.Fatalf("%.40s: got %d, asked %d times; want 400 and once", body, got.StatusCode, len(ids))
		}
		if id := <-ids; id != want {
			t.Errorf("%.40s: told %q, want %q", body, id, want)
		}
	}
}

// questions makes the services say yes to whoever asks, and keep "rpc motivo" of it.
func (s *services) questions() chan string {
	asked := make(chan string, 10)
	s.on(accesov1.AccesoService_CheckAcceso_FullMethodName, func(c *call) error {
		var question accesov1.CheckAccesoRequest
		c.receive(s.t, &question)
		asked <- question.GetRpc() + " " + question.GetMotivo().String()
		return c.stream.SendMsg(&accesov1.CheckAccesoResponse{})
	})
	return asked
}

// wantQuestions holds that exactly these were asked since the last look.
func wantQuestions(t *testing.T, asked chan string, want ...string) {
	t.Helper()
	var got []string
	for len(asked) > 0 {
		got = append(got, <-asked)
	}
	if !slices.Equal(got, want) {
		t.Errorf("asked %q, want %q", got, want)
	}
}

// An institution's own address that there is not is no path: 404 comes before all else.
func TestOrder_ofAnInstitutionsOwnAddress(t *testing.T) {
	const missing = "/i/NADA010101AB1"
	s := newStack(t, nil, routes.Local{Pattern: "/i/{id_empresa}/health", Handler: http.NotFoundHandler()})
	s.everyRPC()
	s.mu.Lock()
	s.open[accesov1.AccesoService_CheckAcceso_FullMethodName] = true
	s.mu.Unlock()
	s.on(accesov1.AccesoService_CheckAcceso_FullMethodName, func(c *call) error {
		if slices.Contains(c.metadata.Get("x-direccion-bin"), "NADA010101AB1") {
			return refusal(codes.NotFound, "NO_ENCONTRADO", "No existe esa institución.")
		}
		var question accesov1.CheckAccesoRequest
		c.receive(t, &question)
		if question.GetRpc() == integracionv1.SesionService_Login_FullMethodName {
			return c.stream.SendMsg(&accesov1.CheckAccesoResponse{})
		}
		return judge(c.metadata)
	})
	for _, tt := range []struct {
		method, path string
		status       int
		codigo       string
	}{
		{"GET", missing + "/login", 404, "no_encontrado"},
		{"POST", missing + "/login", 404, "no_encontrado"},
		{"PUT", missing + "/activar-reporte", 404, "no_encontrado"},
		{"POST", missing + "/activar-reporte", 404, "no_encontrado"},
		{"GET", missing + "/health", 404, "no_encontrado"},
		{"POST", "/i/LAB010101AB1/health", 405, "metodo_no_permitido"},
		{"GET", "/i/LAB010101AB1/login", 405, "metodo_no_permitido"},
		{"PUT", "/i/LAB010101AB1/activar-reporte", 405, "metodo_no_permitido"},
		{"POST", "/i/LAB010101AB1/activar-reporte", 401, "credencial_ausente"},
	} {
		got := s.send(tt.method, tt.path, "x")
		wantRefusal(t, got, tt.status, tt.codigo)
		if allow := got.Header.Get("Allow"); (allow != "") != (tt.status == 405) {
			t.Errorf("%s %s: Allow %q with %d", tt.method, tt.path, allow, tt.status)
		}
	}
}

func TestOrder_whenTheServiceCannotSay(t *testing.T) {
	tests := []struct {
		name         string
		verdict      error
		small, large int // status for a small and for a large broken body
	}{
		{"unavailable", status.Error(codes.Unavailable, "x"), 400, 503},
		{"not known there yet", status.Error(codes.Unimplemented, "x"), 400, 400},
		{"too many questions", refusal(codes.ResourceExhausted, "DEMASIADAS_SOLICITUDES", "Espere.", retryIn(7e9)), 429, 429},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStack(t, nil)
			s.fail(accesov1.AccesoService_CheckAcceso_FullMethodName, tt.verdict)
			for size, want := range map[int]int{9: tt.small, 100_000: tt.large} {
				got := s.post("/cliente/registros/lote", strings.Repeat("x", size))
				if got.StatusCode != want {
					t.Errorf("%d bytes: got %d %s, want %d", size, got.StatusCode, got.body, want)
				}
			}
		})
	}
}

// onlyReader hides how long a body is, so that it goes out in chunks.
type onlyReader struct{ r *strings.Reader }

func (o onlyReader) Read(p []byte) (int, error) { return o.r.Read(p) }
