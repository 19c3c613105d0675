package pui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// strict is a platform that refuses a message for the first thing that refuse finds in it, one at a
// time, and keeps what it was asked.
type strict struct {
	url    string
	refuse func(body map[string]any) string

	mu    sync.Mutex
	asked []string
}

func startStrict(t *testing.T, refuse func(map[string]any) string) *strict {
	t.Helper()
	s := &strict{refuse: refuse}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *strict) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/login" {
		fmt.Fprint(w, `{"token":"t"}`)
		return
	}
	var body map[string]any
	err := json.NewDecoder(r.Body).Decode(&body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, fmt.Sprint(body["lugar_nacimiento"], " ", body["descripcion_lugar_evento"], " ", body["direccion_evento"]))
	if refused := s.refuse(body); refused != "" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"errores":[%q]}`, refused)
	}
}

// take gives what it was asked since the last time.
func (s *strict) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// foraneo is a match of somebody born abroad, without a place.
func foraneo() entregas.Coincidencia {
	c := newCoincidencia(manual.FaseHistorica)
	c.Persona = manual.Persona{CURP: "SA06EIMBDR5OVM72NY", LugarNacimiento: manual.LugarForaneo}
	c.Evento = entregas.Evento{Tipo: "Toma de muestra", Fecha: c.Evento.Fecha}
	return c
}

func TestClient_learnsWhatThePlatformNamesOneAtATime(t *testing.T) {
	s := startStrict(t, func(body map[string]any) string {
		for _, field := range []string{"descripcion_lugar_evento", "direccion_evento"} {
			if _, given := body[field]; !given {
				return "'" + field + "' es obligatorio"
			}
		}
		if body["lugar_nacimiento"] != foraneoSinAcento {
			return "'lugar_nacimiento' no es válido"
		}
		return ""
	})
	client := newClient(t, time.Minute)
	for _, want := range [][]string{
		{"FORÁNEO <nil> <nil>", "FORÁNEO  <nil>", "FORÁNEO  map[direccion:]", "FORANEO  map[direccion:]"},
		{"FORANEO  map[direccion:]"},
	} {
		d := client.NotifyCoincidencia(t.Context(), institucionAt(s.url), foraneo())
		if got := s.take(); d.Resultado != envio.Aceptado || !slices.Equal(got, want) {
			t.Errorf("outcome %v, asked %q, want %q", d.Resultado, got, want)
		}
	}
}

// What is refused either way is refused, after a bounded number of tries, and nothing is learnt.
func TestClient_refusedEitherWay(t *testing.T) {
	for _, refused := range []string{"'lugar_nacimiento' no es válido", "'curp' no es válida", "'descripcion_lugar_evento' y 'direccion_evento' no"} {
		s := startStrict(t, func(map[string]any) string { return refused })
		client := newClient(t, time.Minute)
		for range 2 {
			d := client.NotifyCoincidencia(t.Context(), institucionAt(s.url), foraneo())
			got := s.take()
			if d.Resultado != envio.Rechazado || d.Detalle != refused || len(got) > 2 || !strings.HasPrefix(got[0], "FORÁNEO <nil> <nil>") {
				t.Errorf("%s: outcome %+v, asked %q", refused, d, got)
			}
		}
	}
}

// Each platform reads the manual in its own way.
func TestClient_learnsOfEachPlatform(t *testing.T) {
	sinAcento := startStrict(t, func(body map[string]any) string {
		if body["lugar_nacimiento"] != foraneoSinAcento {
			return "'lugar_nacimiento' no es válido"
		}
		return ""
	})
	both := startStrict(t, func(map[string]any) string { return "" })
	client := newClient(t, time.Minute)
	for range 2 {
		for _, s := range []*strict{sinAcento, both} {
			if d := client.NotifyCoincidencia(t.Context(), institucionAt(s.url), foraneo()); d.Resultado != envio.Aceptado {
				t.Errorf("outcome %+v", d)
			}
		}
	}
	if got, want := both.take(), []string{"FORÁNEO <nil> <nil>", "FORÁNEO <nil> <nil>"}; !slices.Equal(got, want) {
		t.Errorf("the platform that takes both was asked %q, want %q", got, want)
	}
}
