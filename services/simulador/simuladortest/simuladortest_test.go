package simuladortest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

const (
	institucionID = "AAA010101AA1"
	reporteID     = "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-446655440000"
)

// institucion answers each activation and, like a real one, tells the platform
// that the search is over once the activation was answered.
func institucion(t *testing.T, plataforma string) string {
	t.Helper()
	searches := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/login") {
			fmt.Fprint(w, `{"token":"t"}`)
			return
		}
		var reporte struct{ ID string }
		err := json.NewDecoder(r.Body).Decode(&reporte)
		if err != nil {
			http.Error(w, `{"error":"JSON"}`, http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, `{"message":"ok"}`)
		if strings.HasSuffix(r.URL.Path, "/activar-reporte") {
			searches <- reporte.ID
		}
	}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for id := range searches {
			finish(t, plataforma, id)
		}
	}()
	t.Cleanup(func() {
		server.Close()
		close(searches)
		<-done
	})
	return server.URL + "/pui"
}

// finish logs in to the platform and ends a search.
func finish(t *testing.T, plataforma, id string) {
	token := struct{ Token string }{}
	body := post(t, plataforma+"/login", "", map[string]string{"institucion_id": institucionID, "clave": "clave-de-a"})
	err := json.Unmarshal(body, &token)
	if err != nil {
		t.Errorf("read token: %v", err)
		return
	}
	post(t, plataforma+"/busqueda-finalizada", token.Token, map[string]string{"id": id, "institucion_id": institucionID})
}

func post(t *testing.T, url, token string, cuerpo any) []byte {
	encoded, err := json.Marshal(cuerpo)
	if err != nil {
		t.Errorf("encode: %v", err)
		return nil
	}
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(string(encoded)))
	if err != nil {
		t.Errorf("make request: %v", err)
		return nil
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Errorf("post: %v", err)
		return nil
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Errorf("read answer: %v", err)
	}
	return read
}

func TestSimulador_playsAWholeReport(t *testing.T) {
	s := simuladortest.Start(t)
	s.Register(simuladortest.Institucion{
		ID: institucionID, Clave: "clave-de-a", URLBase: institucion(t, s.URL), ClaveInstitucion: "Clave-de-prueba-1",
	})
	s.Fail(simuladortest.Falla{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaLentitud, EsperaMs: 1, Veces: 1})

	llamada := s.Activate(institucionID, map[string]string{"id": reporteID, "curp": "TEST010101HDFABC01"})
	if llamada.Status != 200 || string(llamada.Cuerpo) != `{"message":"ok"}` {
		t.Fatalf("activation answered %+v", llamada)
	}
	log := s.WaitReceived(simuladortest.Filtro{InstitucionID: institucionID}, 2)
	if len(log) != 2 || log[0].Ruta != simuladortest.RutaLogin || log[1].Ruta != simuladortest.RutaBusquedaFinalizada || log[1].Status != 200 {
		t.Errorf("log = %+v, want a login and a finish", log)
	}
	var cuerpo struct{ ID string }
	err := json.Unmarshal(log[1].Cuerpo, &cuerpo)
	if err != nil || cuerpo.ID != reporteID {
		t.Errorf("finished %q, %v", cuerpo.ID, err)
	}

	if llamada = s.ActivateTest(institucionID, []byte(`{"id"`)); llamada.Status != 400 {
		t.Errorf("a body that is no JSON was not passed on as it is: %+v", llamada)
	}
	if llamada = s.Deactivate(institucionID, reporteID); llamada.Status != 200 || llamada.Ruta != "desactivar-reporte" {
		t.Errorf("deactivation answered %+v", llamada)
	}
	s.ClearReceived()
	if log = s.Received(simuladortest.Filtro{Espera: time.Millisecond}); len(log) != 0 {
		t.Errorf("log after clearing = %+v", log)
	}
}

// recorder is a testing.TB that keeps the failure instead of ending the test.
type recorder struct {
	testing.TB
	failure string
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = fmt.Sprintf(format, args...)
	panic(r)
}

// failureOf returns what f fails its test with.
func failureOf(t *testing.T, url string, f func(s *simuladortest.Simulador)) string {
	t.Helper()
	r := &recorder{TB: t}
	func() {
		defer func() {
			if got := recover(); got != nil && got != r {
				panic(got)
			}
		}()
		f(simuladortest.At(r, url))
	}()
	return r.failure
}

func TestSimulador_failsTheTest(t *testing.T) {
	url := simuladortest.Start(t).URL
	for name, tt := range map[string]struct {
		f    func(s *simuladortest.Simulador)
		want string
	}{
		"refused order": {
			func(s *simuladortest.Simulador) { s.Fail(simuladortest.Falla{Tipo: "fuego"}) },
			"POST /control/fallas: answered 400",
		},
		"nothing arrived": {
			func(s *simuladortest.Simulador) {
				s.WaitReceived(simuladortest.Filtro{Ruta: simuladortest.RutaReportes, Espera: time.Millisecond}, 1)
			},
			`0 of 1 requests arrived on route "reportes"`,
		},
	} {
		if got := failureOf(t, url, tt.f); !strings.Contains(got, tt.want) {
			t.Errorf("%s: failed with %q, want %q in it", name, got, tt.want)
		}
	}
}

func TestSimulador_servesReportsAndClearsFaults(t *testing.T) {
	s := simuladortest.Start(t)
	s.Register(simuladortest.Institucion{ID: institucionID, Clave: "clave-de-a"})
	s.SetReportes(institucionID, []map[string]string{{"id": reporteID}})
	s.Fail(simuladortest.Falla{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaStatus, Status: 500})
	s.ClearFaults()
	finish(t, s.URL, reporteID)
	if log := s.WaitReceived(simuladortest.Filtro{Ruta: simuladortest.RutaBusquedaFinalizada}, 1); log[0].Status != 200 {
		t.Errorf("log = %+v, want the finish accepted", log)
	}
}
