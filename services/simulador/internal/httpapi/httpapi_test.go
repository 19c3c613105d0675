package httpapi

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/enlace-iis/enlace/services/simulador/internal/plataforma"
	"github.com/enlace-iis/enlace/services/simulador/internal/webhook"
)

const (
	institucionA = "AAA010101AA1"
	id           = "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-446655440000"
	finalizada   = `{"id":"` + id + `","institucion_id":"` + institucionA + `"}`
)

// simulador is a server over loopback with institution A registered.
type simulador struct {
	url    string
	client *http.Client
	stop   context.CancelFunc // ends the base context, as a signal does
}

func start(t *testing.T) *simulador {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	calls := webhook.New()
	server := httptest.NewUnstartedServer(New(plataforma.New(time.Now), calls, slog.New(slog.DiscardHandler)))
	server.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	server.Start()
	t.Cleanup(func() {
		cancel()
		server.Close()
		calls.CloseIdle()
	})
	s := &simulador{url: server.URL, client: server.Client(), stop: cancel}
	s.want(t, "PUT", "/control/instituciones/"+institucionA, `{"clave":"clave-de-a"}`, 200)
	return s
}

// do makes one request; body "" sends none.
func (s *simulador) do(ctx context.Context, method, path, token, body string) (*http.Response, string, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	return answer, string(read), err
}

// want makes a request without token and returns the body of its answer.
func (s *simulador) want(t *testing.T, method, path, body string, status int) string {
	t.Helper()
	answer, read, err := s.do(t.Context(), method, path, "", body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if answer.StatusCode != status {
		t.Fatalf("%s %s answered %d %s, want %d", method, path, answer.StatusCode, read, status)
	}
	return read
}

func (s *simulador) login(t *testing.T) string {
	t.Helper()
	var c struct{ Token string }
	read := s.want(t, "POST", "/login", `{"institucion_id":"`+institucionA+`","clave":"clave-de-a"}`, 200)
	err := json.Unmarshal([]byte(read), &c, json.MatchCaseInsensitiveNames(true))
	if err != nil {
		t.Fatalf("read token: %v", err)
	}
	return c.Token
}

func (s *simulador) received(t *testing.T, query string) []plataforma.Recibido {
	t.Helper()
	var log []plataforma.Recibido
	read := s.want(t, "GET", "/control/recibidos"+query, "", 200)
	err := json.Unmarshal([]byte(read), &log)
	if err != nil {
		t.Fatalf("read log %s: %v", read, err)
	}
	return log
}

func TestPlataforma_servesItsFourRoutes(t *testing.T) {
	s := start(t)
	token := s.login(t)
	notificacion := `{"curp":"TEST010101HDFABC01","lugar_nacimiento":"CDMX","id":"` + id +
		`","institucion_id":"` + institucionA + `","fase_busqueda":"1"}`
	for _, tt := range []struct {
		method, path, token, body string
		status                    int
		want                      string
	}{
		{"POST", "/notificar-coincidencia", token, notificacion, 200, `{"message":"Coincidencia recibida correctamente"}`},
		{"POST", "/notificar-coincidencia", token, `{}`, 400,
			`{"errores":["'curp' es obligatorio","'lugar_nacimiento' es obligatorio","'id' es obligatorio","'institucion_id' es obligatorio","'fase_busqueda' es obligatorio"]}`},
		{"POST", "/busqueda-finalizada", token, finalizada, 200, `{"message":"Registro de finalización de búsqueda histórica guardado correctamente."}`},
		{"POST", "/busqueda-finalizada", "", finalizada, 401, `{"error":"Token no proporcionado"}`},
		{"GET", "/reportes", token, "", 200, `[]`},
		{"GET", "/reportes", "x.y.z", "", 401, `{"error":"Token inválido o expirado"}`},
	} {
		answer, read, err := s.do(t.Context(), tt.method, tt.path, tt.token, tt.body)
		if err != nil {
			t.Fatalf("%s: %v", tt.path, err)
		}
		if answer.StatusCode != tt.status || read != tt.want || answer.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s answered %d %s", tt.path, answer.StatusCode, read)
		}
	}
	if answer, _, err := s.do(t.Context(), "GET", "/login", "", ""); err != nil || answer.StatusCode != 405 {
		t.Errorf("GET /login: %v, %v", answer, err)
	}
}

func TestRecibidos_filterAndLongPoll(t *testing.T) {
	s := start(t)
	token := s.login(t)
	if log := s.received(t, ""); len(log) != 1 || log[0].N != 1 || log[0].Ruta != plataforma.RutaLogin || log[0].RespondidoEn == nil {
		t.Fatalf("log = %+v, want the login", log)
	}
	if read := s.want(t, "GET", "/control/recibidos?desde=1&espera_ms=1", "", 200); read != "[]" {
		t.Errorf("nothing new = %s, want []", read)
	}
	polled := make(chan string, 1)
	go func() {
		_, read, err := s.do(t.Context(), "GET",
			"/control/recibidos?desde=1&ruta=reportes&institucion_id="+institucionA+"&espera_ms=10000", "", "")
		polled <- fmt.Sprint(read, err)
	}()
	for _, tt := range []struct{ method, path string }{{"POST", "/busqueda-finalizada"}, {"GET", "/reportes"}} {
		_, _, err := s.do(t.Context(), tt.method, tt.path, token, finalizada)
		if err != nil {
			t.Fatalf("%s: %v", tt.path, err)
		}
	}
	if read := <-polled; !strings.HasPrefix(read, `[{"n":3,`) || strings.Contains(read, `"n":4`) {
		t.Errorf("poll = %s, want entry 3", read)
	}
	s.want(t, "DELETE", "/control/recibidos", "", 204)
	if log := s.received(t, ""); len(log) != 0 {
		t.Errorf("after clearing: %+v", log)
	}
}

func TestControl_refusesWhatItDoesNotKnow(t *testing.T) {
	s := start(t)
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/control/recibidos?page=2", "", 400, "'page' no es un parámetro conocido"},
		{"GET", "/control/recibidos?page=", "", 400, "'page' no es un parámetro conocido"},
		{"GET", "/control/recibidos?ruta=otra", "", 400, "'ruta' debe ser"},
		{"GET", "/control/recibidos?desde=-1", "", 400, "'desde' debe ser un entero"},
		{"GET", "/control/recibidos?espera_ms=1h", "", 400, "'espera_ms' debe ser un entero"},
		{"PUT", "/control/instituciones/AAA", `{"clave":"c"}`, 400, "'institucion_id' debe tener"},
		{"PUT", "/control/instituciones/" + institucionA, `{"clabe":"c"}`, 400, "'/clabe' no es un campo conocido"},
		{"PUT", "/control/instituciones/" + institucionA, `{"clave":7}`, 400, "'/clave' no es del tipo esperado"},
		{"PUT", "/control/instituciones/" + institucionA, `{"clave"`, 400, "no es un JSON válido"},
		{"PUT", "/control/instituciones/" + institucionA + "/reportes", `7`, 400, "la lista debe ser un arreglo o un objeto"},
		{"PUT", "/control/instituciones/CCC010101CC1/reportes", `[]`, 404, "La institución no está registrada"},
		{"POST", "/control/instituciones/CCC010101CC1/activar", `{}`, 404, "La institución no está registrada"},
		{"POST", "/control/instituciones/" + institucionA + "/activar", `{}`, 409, "La institución se registró sin 'url_base'"},
		{"POST", "/control/fallas", `{"ruta":"login","tipo":"fuego"}`, 400, "'tipo' debe ser"},
		{"POST", "/control/fallas", `{"ruta":"login","tipo":"corte","beces":1}`, 400, "'/beces' no es un campo conocido"},
		{"POST", "/login", strings.Repeat(" ", maxBody+1), 413, "El cuerpo es demasiado grande"},
	} {
		if read := s.want(t, tt.method, tt.path, tt.body, tt.status); !strings.Contains(read, tt.want) {
			t.Errorf("%s %s answered %s, want %q in it", tt.method, tt.path, read, tt.want)
		}
	}
}

func TestControl_listsWithoutSecrets(t *testing.T) {
	s := start(t)
	s.want(t, "PUT", "/control/instituciones/"+institucionA,
		`{"clave":"clave-de-a","url_base":"http://localhost:8080/i/`+institucionA+`","clave_institucion":"Clave-de-prueba-1"}`, 200)
	want := `[{"institucion_id":"` + institucionA + `","url_base":"http://localhost:8080/i/` + institucionA + `","reportes":0}]`
	if read := s.want(t, "GET", "/control/instituciones", "", 200); read != want {
		t.Errorf("institutions = %s, want %s", read, want)
	}
	if read := s.want(t, "GET", "/control/salud", "", 200); read != `{"estado":"ok"}` {
		t.Errorf("health = %s", read)
	}
	s.want(t, "POST", "/control/fallas", `{"ruta":"login","tipo":"corte","veces":2}`, 201)
	want = `[{"ruta":"login","institucion_id":"","id":"","fase_busqueda":"","tipo":"corte","status":0,"retry_after_s":0,"espera_ms":0,"despues":false,"a_medias":false,"vida_s":0,"veces":2,"veces_aplicada":0}]`
	if read := s.want(t, "GET", "/control/fallas", "", 200); read != want {
		t.Errorf("faults = %s, want %s", read, want)
	}
	s.want(t, "DELETE", "/control/fallas", "", 204)
	if read := s.want(t, "GET", "/control/fallas", "", 200); read != "[]" {
		t.Errorf("faults after clearing = %s", read)
	}
}

func TestReportes_followWhatTheInstitutionAccepted(t *testing.T) {
	s := start(t)
	var status atomic.Int32
	status.Store(200)
	institucion := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			fmt.Fprint(w, `{"token":"t"}`)
			return
		}
		w.WriteHeader(int(status.Load()))
		fmt.Fprint(w, `{"message":"ok"}`)
	}))
	defer institucion.Close()
	s.want(t, "PUT", "/control/instituciones/"+institucionA, `{"clave":"clave-de-a","url_base":"`+institucion.URL+`"}`, 200)
	token := s.login(t)
	drive := func(accion string) string {
		t.Helper()
		return s.want(t, "POST", "/control/instituciones/"+institucionA+"/"+accion, `{"id":"`+id+`","curp":"TEST010101HDFABC01"}`, 200)
	}
	wantReportes := func(n int) {
		t.Helper()
		_, read, err := s.do(t.Context(), "GET", "/reportes", token, "")
		if err != nil || strings.Count(read, `"curp":"TEST010101HDFABC01"`) != n {
			t.Errorf("reports = %s, %v; want %d", read, err, n)
		}
	}

	if read := drive("activar-prueba"); !strings.HasPrefix(read, `{"ruta":"activar-reporte-prueba","status":200,"cuerpo":{"message":"ok"},"duracion_ms":`) {
		t.Errorf("test activation answered %s", read)
	}
	wantReportes(0)
	drive("activar")
	wantReportes(1)
	status.Store(500)
	drive("desactivar")
	wantReportes(1)
	status.Store(200)
	drive("desactivar")
	wantReportes(0)
	status.Store(400)
	drive("activar")
	wantReportes(0)

	s.want(t, "PUT", "/control/instituciones/"+institucionA+"/reportes", `[{"curp":"TEST010101HDFABC01","extra":1},null]`, 200)
	_, read, err := s.do(t.Context(), "GET", "/reportes", token, "")
	if err != nil || read != `[{"curp":"TEST010101HDFABC01","extra":1},null]` {
		t.Errorf("reports = %s, %v; want them as given", read, err)
	}
}

func TestActivar_saysThatNoAnswerCame(t *testing.T) {
	s := start(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	s.want(t, "PUT", "/control/instituciones/"+institucionA, `{"clave":"clave-de-a","url_base":"`+gone.URL+`"}`, 200)
	read := s.want(t, "POST", "/control/instituciones/"+institucionA+"/activar", `{}`, 502)
	if !strings.Contains(read, "No hubo respuesta de la institución") {
		t.Errorf("answered %s", read)
	}
}
