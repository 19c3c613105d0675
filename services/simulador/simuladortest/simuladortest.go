// Package simuladortest gives Go tests the platform's stand-in: the very server
// of the simulador binary on a loopback port, and a client of its control routes
// that fails the test instead of returning errors.
//
// Methods call FailNow when they fail, so call them from the test's goroutine.
package simuladortest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/enlace-iis/enlace/services/simulador/internal/httpapi"
	"github.com/enlace-iis/enlace/services/simulador/internal/plataforma"
	"github.com/enlace-iis/enlace/services/simulador/internal/webhook"
)

// Simulador is a running simulator. URL is both the platform's base URL and the
// root of the control routes.
type Simulador struct {
	URL string

	tb   testing.TB
	http *http.Client
}

// Start runs a simulator of the test's own; it stops with the test.
func Start(tb testing.TB) *Simulador {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	calls := webhook.New()
	server := httptest.NewUnstartedServer(
		httpapi.New(plataforma.New(time.Now), calls, slog.New(slog.DiscardHandler)))
	server.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	server.Start()
	tb.Cleanup(func() {
		// First the waits, then the server, which waits for its requests.
		cancel()
		server.Close()
		calls.CloseIdle()
	})
	return At(tb, server.URL)
}

// At drives a simulator that runs already, such as the local run's.
func At(tb testing.TB, baseURL string) *Simulador {
	transport := &http.Transport{}
	tb.Cleanup(transport.CloseIdleConnections)
	return &Simulador{URL: baseURL, tb: tb, http: &http.Client{Transport: transport}}
}

// Register makes an institution known, or replaces it.
func (s *Simulador) Register(i Institucion) {
	s.tb.Helper()
	s.call(http.MethodPut, institucionPath(i.ID, ""), map[string]any{
		"clave": i.Clave, "url_base": i.URLBase, "clave_institucion": i.ClaveInstitucion, "con_estados": i.ConEstados,
	}, nil)
}

// Activate sends the platform's activation body to the institution. reporte is
// anything that encodes as JSON, or a []byte sent as it is.
func (s *Simulador) Activate(institucionID string, reporte any) Llamada {
	s.tb.Helper()
	return s.drive(institucionID, "/activar", reporte)
}

// ActivateTest sends the portal's test activation.
func (s *Simulador) ActivateTest(institucionID string, reporte any) Llamada {
	s.tb.Helper()
	return s.drive(institucionID, "/activar-prueba", reporte)
}

// Deactivate ends the report with that id at the institution.
func (s *Simulador) Deactivate(institucionID, reporteID string) Llamada {
	s.tb.Helper()
	return s.drive(institucionID, "/desactivar", map[string]string{"id": reporteID})
}

func (s *Simulador) drive(institucionID, accion string, cuerpo any) Llamada {
	s.tb.Helper()
	var llamada Llamada
	s.call(http.MethodPost, institucionPath(institucionID, accion), cuerpo, &llamada)
	return llamada
}

// SetReportes replaces what GET /reportes serves to the institution; reportes is
// anything that encodes as a JSON array, or as an object to be served as it is.
func (s *Simulador) SetReportes(institucionID string, reportes any) {
	s.tb.Helper()
	s.call(http.MethodPut, institucionPath(institucionID, "/reportes"), reportes, nil)
}

// Received lists what arrived and matches, in order. With Filtro.Espera it waits
// for the first match and may still return nothing.
func (s *Simulador) Received(f Filtro) []Recibido {
	s.tb.Helper()
	q := url.Values{}
	q.Set("institucion_id", f.InstitucionID)
	q.Set("ruta", string(f.Ruta))
	q.Set("desde", strconv.FormatInt(f.Desde, 10))
	q.Set("espera_ms", strconv.FormatInt(max(f.Espera, 0).Milliseconds(), 10))
	var recibidos []Recibido
	s.call(http.MethodGet, "/control/recibidos?"+q.Encode(), nil, &recibidos)
	return recibidos
}

// WaitReceived waits until at least n entries match, for at most Filtro.Espera
// (ten seconds when zero), and returns all that match; fewer fail the test.
func (s *Simulador) WaitReceived(f Filtro, n int) []Recibido {
	s.tb.Helper()
	if f.Espera <= 0 {
		f.Espera = 10 * time.Second
	}
	limite := time.Now().Add(f.Espera)
	var todos []Recibido
	for len(todos) < n {
		f.Espera = time.Until(limite)
		nuevos := s.Received(f)
		if len(nuevos) == 0 && f.Espera <= 0 {
			s.tb.Fatalf("simulador: %d of %d requests arrived on route %q in time", len(todos), n, f.Ruta)
		}
		for _, r := range nuevos {
			todos = append(todos, r)
			f.Desde = r.N
		}
	}
	return todos
}

// ClearReceived empties the log; numbers go on from where they were.
func (s *Simulador) ClearReceived() {
	s.tb.Helper()
	s.call(http.MethodDelete, "/control/recibidos", nil, nil)
}

// Fail puts a fault in force.
func (s *Simulador) Fail(f Falla) {
	s.tb.Helper()
	s.call(http.MethodPost, "/control/fallas", f, nil)
}

// ClearFaults ends all faults.
func (s *Simulador) ClearFaults() {
	s.tb.Helper()
	s.call(http.MethodDelete, "/control/fallas", nil, nil)
}

// SetCriterio says how the platform reads what the manual leaves open.
func (s *Simulador) SetCriterio(c Criterio) {
	s.tb.Helper()
	s.call(http.MethodPut, "/control/criterio", c, nil)
}

func institucionPath(id, accion string) string {
	return "/control/instituciones/" + url.PathEscape(id) + accion
}

// call makes one control request and reads its answer into target, if any.
func (s *Simulador) call(method, path string, cuerpo, target any) {
	s.tb.Helper()
	err := s.try(method, path, cuerpo, target)
	if err != nil {
		s.tb.Fatalf("simulador: %s %s: %v", method, path, err)
	}
}

func (s *Simulador) try(method, path string, cuerpo, target any) error {
	encoded, err := encode(cuerpo)
	if err != nil {
		return fmt.Errorf("encode body: %w", err)
	}
	// Not the test's own context: it has ended by the time of cleanups, in which a
	// test may well want to end its faults.
	request, err := http.NewRequestWithContext(context.Background(), method, s.URL+path, bytes.NewReader(encoded))
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	response, err := s.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("answered %d: %s", response.StatusCode, answer)
	}
	if target == nil {
		return nil
	}
	return json.Unmarshal(answer, target)
}

func encode(cuerpo any) ([]byte, error) {
	switch c := cuerpo.(type) {
	case nil:
		return nil, nil
	case []byte:
		return c, nil
	default:
		return json.Marshal(c)
	}
}
