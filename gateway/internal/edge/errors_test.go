package edge

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// scripted is every reason that a service can give, as it gives it.
var scripted = []struct {
	err              error
	status, platform int
	codigo           string
}{
	{refusal(codes.InvalidArgument, "JSON_INVALIDO", "x"), 400, 400, "json_invalido"},
	{refusal(codes.Unauthenticated, "CREDENCIAL_AUSENTE", "x"), 401, 401, "credencial_ausente"},
	{refusal(codes.Unauthenticated, "CREDENCIAL_INVALIDA", "x"), 401, 401, "credencial_invalida"},
	{refusal(codes.Unauthenticated, "CREDENCIAL_REVOCADA", "x"), 401, 401, "credencial_revocada"},
	{refusal(codes.Unauthenticated, "CREDENCIAL_CADUCADA", "x"), 401, 401, "credencial_caducada"},
	{refusal(codes.PermissionDenied, "SIN_PERMISO", "x"), 403, 403, "sin_permiso"},
	{refusal(codes.NotFound, "NO_ENCONTRADO", "x"), 404, 404, "no_encontrado"},
	{refusal(codes.AlreadyExists, "CONFLICTO", "x"), 409, 400, "conflicto"},
	{refusal(codes.InvalidArgument, "LOTE_VACIO", "x"), 422, 400, "lote_vacio"},
	{refusal(codes.InvalidArgument, "LOTE_EXCEDIDO", "x"), 422, 400, "lote_excedido"},
	{refusal(codes.InvalidArgument, "VALIDACION", "x"), 422, 400, "validacion"},
	{refusal(codes.ResourceExhausted, "DEMASIADAS_SOLICITUDES", "x"), 429, 429, "demasiadas_solicitudes"},
	{refusal(codes.Internal, "INTERNO", "SELECT secreto"), 500, 500, "interno"},
	{refusal(codes.Unavailable, "NO_DISPONIBLE", "x"), 503, 503, "no_disponible"},
	{refusal(codes.DeadlineExceeded, "TIEMPO_AGOTADO", "x"), 504, 504, "tiempo_agotado"},
	{status.Error(codes.Unavailable, "SELECT secreto"), 503, 503, "no_disponible"},
	{status.Error(codes.DeadlineExceeded, "SELECT secreto"), 504, 504, "tiempo_agotado"},
	{status.Error(codes.ResourceExhausted, "SELECT secreto"), 413, 413, "cuerpo_demasiado_grande"},
	{status.Error(codes.Unknown, "SELECT secreto"), 500, 500, "interno"},
	{status.Error(codes.Unimplemented, "SELECT secreto"), 500, 500, "interno"},
	{status.Error(codes.Canceled, "SELECT secreto"), 503, 503, "no_disponible"},
}

func TestErrors_everyReasonOnEveryKindOfRoute(t *testing.T) {
	s := newStack(t, nil)
	for _, tt := range scripted {
		for _, rpc := range []string{
			registrosv1.RegistroService_SaveRegistros_FullMethodName,
			registrosv1.CasoService_ListCasos_FullMethodName,
			integracionv1.ReporteService_ActivateReporte_FullMethodName,
			integracionv1.SesionService_Login_FullMethodName,
		} {
			s.fail(rpc, tt.err)
		}
		problems := map[string]*answer{
			"/cliente/registros": s.post("/cliente/registros", "[]"),
			"/cliente/casos":     s.get("/cliente/casos"),
		}
		for path, got := range problems {
			wantRefusal(t, got, tt.status, tt.codigo)
			if got.field(t, "instance") != path || got.field(t, "status") != float64(tt.status) {
				t.Errorf("got %s", got.body)
			}
			checkRefusal(t, got, tt.status, `ApiKey realm="enlace"`)
		}
		for _, got := range []*answer{
			s.send("POST", "/login", `{}`),
			s.send("POST", "/i/AAA010101AAA/activar-reporte", `{}`, "Authorization", goodToken),
		} {
			wantRefusal(t, got, tt.platform, tt.codigo)
			checkRefusal(t, got, tt.platform, `Bearer realm="enlace"`)
		}
	}
}

func checkRefusal(t *testing.T, got *answer, status int, challenge string) {
	t.Helper()
	if strings.Contains(string(got.body), "SELECT") {
		t.Errorf("the inside shows: %s", got.body)
	}
	if (status == 401) != (got.Header.Get("WWW-Authenticate") == challenge) {
		t.Errorf("%d: WWW-Authenticate %q", status, got.Header.Get("WWW-Authenticate"))
	}
	if (status == 429 || status == 503) != (got.Header.Get("Retry-After") != "") {
		t.Errorf("%d: Retry-After %q", status, got.Header.Get("Retry-After"))
	}
	if (status == 429) != (got.Header.Get("RateLimit") != "" && got.Header.Get("RateLimit-Policy") != "") {
		t.Errorf("%d: RateLimit %q %q", status, got.Header.Get("RateLimit"), got.Header.Get("RateLimit-Policy"))
	}
	if got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("ETag") != "" {
		t.Errorf("%d: a refusal can be cached: %v", status, got.Header)
	}
	if got.field(t, "request_id") != got.Header.Get("X-Request-ID") || got.Header.Get("X-Request-ID") == "" {
		t.Errorf("%d: request id %s, header %q", status, got.body, got.Header.Get("X-Request-ID"))
	}
}

func TestErrors_carryTheirPlaces(t *testing.T) {
	s := newStack(t, nil)
	s.fail(registrosv1.RegistroService_SaveRegistros_FullMethodName, refusal(codes.InvalidArgument, "VALIDACION", "1 de 2.",
		&erroresv1.Errores{Errores: []*erroresv1.ErrorDeCampo{{
			Indice: proto.Int32(1), Folio: proto.String("A-2"), Puntero: "/registros/1/curp", Codigo: "formato", Mensaje: "Corrija."}}}))
	got := s.post("/cliente/registros", "[{},{}]")
	want := `"errores":[{"indice":1,"folio":"A-2","puntero":"/registros/1/curp","codigo":"formato","mensaje":"Corrija."}]}`
	if got.StatusCode != 422 || !strings.HasSuffix(string(got.body), want) {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}

	got = s.post("/cliente/registros", `{"registros":{}}`)
	want = `"errores":[{"indice":null,"folio":null,"puntero":"/registros","codigo":"tipo",` +
		`"mensaje":"Se esperaba un arreglo.","byte":13}]}`
	if got.StatusCode != 400 || !strings.HasSuffix(string(got.body), want) {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
}

func TestErrors_aServiceThatIsDown(t *testing.T) {
	s := newStack(t, nil)
	s.fail(registrosv1.RegistroService_Ping_FullMethodName, status.Error(codes.Unavailable, "connection refused"))
	got := s.post("/cliente/sandbox/ping", "")
	wantRefusal(t, got, 503, "no_disponible")
	if line := s.log.wait(t, `"status":503`); !strings.Contains(line, `"code":"Unavailable"`) || strings.Contains(line, "refused") {
		t.Errorf("got %s", line)
	}
}

func TestErrors_theDeadlineIsOurs(t *testing.T) {
	s := newStack(t, func(cfg *Config) { cfg.Timeout = 50 * time.Millisecond })
	s.on(registrosv1.RegistroService_Ping_FullMethodName, func(c *call) error {
		<-c.stream.Context().Done()
		return status.FromContextError(c.stream.Context().Err()).Err()
	})
	got := s.post("/cliente/sandbox/ping", "", "Grpc-Timeout", "1H")
	wantRefusal(t, got, 504, "tiempo_agotado")
}

func TestErrors_aMalformedGrpcTimeoutIsNobodysBusiness(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	got := s.post("/cliente/sandbox/ping", "", "Grpc-Timeout", "nonsense")
	if got.StatusCode != 200 {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
}

func TestErrors_panic(t *testing.T) {
	begun := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("half an answer"))
		panic("PERSONAL DATA")
	})
	notBegun := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(http.StatusOK)
		panic("PERSONAL DATA")
	})
	s := newStack(t, nil, routes.Local{Pattern: "/begun", Handler: begun}, routes.Local{Pattern: "/not-begun", Handler: notBegun})

	got := s.send("GET", "/not-begun", "")
	wantRefusal(t, got, 500, "interno")
	if line := s.log.wait(t, "handler panicked"); strings.Contains(line, "PERSONAL") || !strings.Contains(line, "errors_test.go") {
		t.Errorf("got %s", line)
	}

	request, err := http.NewRequestWithContext(t.Context(), "GET", s.server.URL+"/begun", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err == nil {
		_ = response.Body.Close()
		t.Errorf("an answer cut in the middle came out whole: %s", response.Status)
	}
}

func TestErrors_aClientThatGoesAway(t *testing.T) {
	s := newStack(t, nil)
	arrived := make(chan struct{})
	ended := make(chan error, 1)
	s.on(registrosv1.RegistroService_Ping_FullMethodName, func(c *call) error {
		close(arrived)
		<-c.stream.Context().Done()
		ended <- c.stream.Context().Err()
		return status.FromContextError(c.stream.Context().Err()).Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	request, err := http.NewRequestWithContext(ctx, "POST", s.server.URL+"/cliente/sandbox/ping", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", goodKey)
	response, err := client.Do(request)
	if !errors.Is(err, context.Canceled) {
		_ = response.Body.Close()
		t.Fatalf("got %v", err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the service was told %v", err)
	}
	s.log.wait(t, `"status":499`)
}
