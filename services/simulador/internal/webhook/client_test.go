package webhook

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/enlace-iis/enlace/services/simulador/internal/plataforma"
)

// institucion is an institution's side of §8: it counts its logins and takes
// only the token of the last one.
type institucion struct {
	mu       sync.Mutex
	logins   int
	revocada bool // no token is taken
	vistas   []string
}

func (i *institucion) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	cuerpo, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "body", http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if r.URL.Path == "/pui/login" {
		i.login(w, string(cuerpo))
		return
	}
	i.vistas = append(i.vistas, fmt.Sprintf("%s %s %s %s", r.Method, r.URL.Path, r.Header.Get("Content-Type"), cuerpo))
	if i.revocada || r.Header.Get("Authorization") != fmt.Sprintf("Bearer token-%d", i.logins) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	fmt.Fprint(w, `{"message":"ok"}`)
}

func (i *institucion) login(w http.ResponseWriter, cuerpo string) {
	if cuerpo != `{"usuario":"PUI","clave":"Clave-de-prueba-1"}` {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"error":"Credenciales inválidas"}`)
		return
	}
	i.logins++
	fmt.Fprintf(w, `{"token":"token-%d"}`, i.logins)
}

// expire makes the tokens given so far useless.
func (i *institucion) expire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.logins += 100
}

func start(t *testing.T, handler http.Handler) (*Client, plataforma.Institucion) {
	t.Helper()
	server := httptest.NewServer(handler)
	c := New()
	t.Cleanup(func() {
		c.CloseIdle()
		server.Close()
	})
	return c, plataforma.Institucion{ID: "AAA010101AA1", URLBase: server.URL + "/pui/", ClaveInstitucion: "Clave-de-prueba-1"}
}

func call(t *testing.T, c *Client, i plataforma.Institucion, ruta Ruta) Llamada {
	t.Helper()
	llamada, err := c.Call(t.Context(), i, ruta, []byte(`{"id":"R1"}`))
	if err != nil {
		t.Fatalf("call %s: %v", ruta, err)
	}
	return llamada
}

func TestCall_logsInOnceAndPostsTheBody(t *testing.T) {
	other := &institucion{}
	c, i := start(t, other)
	for _, ruta := range []Ruta{RutaActivarReporte, RutaActivarReportePrueba, RutaDesactivarReporte} {
		llamada := call(t, c, i, ruta)
		if llamada.Ruta != ruta || llamada.Status != 200 || string(llamada.Cuerpo) != `{"message":"ok"}` {
			t.Errorf("answer = %+v", llamada)
		}
	}
	want := `POST /pui/activar-reporte application/json {"id":"R1"}
POST /pui/activar-reporte-prueba application/x-www-form-urlencoded {"id":"R1"}
POST /pui/desactivar-reporte application/json {"id":"R1"}`
	if got := strings.Join(other.vistas, "\n"); got != want {
		t.Errorf("requests:\n%s\nwant:\n%s", got, want)
	}
	if other.logins != 1 {
		t.Errorf("%d logins, want 1", other.logins)
	}
}

func TestCall_logsInAgainWhenTheTokenIsRefused(t *testing.T) {
	other := &institucion{}
	c, i := start(t, other)
	call(t, c, i, RutaActivarReporte)
	other.expire()
	if llamada := call(t, c, i, RutaActivarReporte); llamada.Status != 200 {
		t.Errorf("status = %d, want 200 after a new login", llamada.Status)
	}
	if other.logins != 102 || len(other.vistas) != 3 {
		t.Errorf("%d logins, %d calls; want one more login and one repeated call", other.logins, len(other.vistas))
	}
}

func TestCall_showsTheRefusalOfAFreshToken(t *testing.T) {
	other := &institucion{revocada: true}
	c, i := start(t, other)
	llamada := call(t, c, i, RutaActivarReporte)
	if llamada.Status != 401 || llamada.Ruta != RutaActivarReporte || len(other.vistas) != 1 {
		t.Errorf("answer = %+v after %d calls, want 401 after one", llamada, len(other.vistas))
	}
}

func TestCall_showsTheRefusalOfTheLogin(t *testing.T) {
	other := &institucion{}
	c, i := start(t, other)
	i.ClaveInstitucion = "otra"
	llamada := call(t, c, i, RutaActivarReporte)
	if llamada.Ruta != RutaLogin || llamada.Status != 401 || string(llamada.Cuerpo) != `{"error":"Credenciales inválidas"}` {
		t.Errorf("answer = %+v", llamada)
	}
	if len(other.vistas) != 0 {
		t.Errorf("%d calls after a refused login", len(other.vistas))
	}
}

func TestCall_concurrentCallsShareALogin(t *testing.T) {
	other := &institucion{}
	c, i := start(t, other)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			llamada, err := c.Call(t.Context(), i, RutaActivarReporte, nil)
			if err != nil || llamada.Status != 200 {
				t.Errorf("answer = %+v, %v", llamada, err)
			}
		})
	}
	wg.Wait()
	if other.logins != 1 {
		t.Errorf("%d logins, want 1", other.logins)
	}
}

func TestCall_showsAnyAnswerAsJSON(t *testing.T) {
	for cuerpo, want := range map[string]string{"": "", "Bad \"gateway\"": `"Bad \"gateway\""`, `[1]`: `[1]`} {
		c, i := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusFound)
			fmt.Fprint(w, cuerpo)
		}))
		llamada := call(t, c, i, RutaActivarReporte)
		if llamada.Status != http.StatusFound || string(llamada.Cuerpo) != want {
			t.Errorf("answer = %d %s, want 302 %s", llamada.Status, llamada.Cuerpo, want)
		}
	}
}

func TestCall_errorsWithoutAnAnswer(t *testing.T) {
	c, i := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	_, err := c.Call(t.Context(), i, RutaActivarReporte, nil)
	if err == nil {
		t.Error("a dropped connection is no error")
	}
	c, i = start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"jwt":"x"}`) }))
	_, err = c.Call(t.Context(), i, RutaActivarReporte, nil)
	if err == nil || strings.Contains(err.Error(), "jwt") {
		t.Errorf("error of a login without token = %v, want one that does not quote the answer", err)
	}
}
