package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/envfile"
)

// fakeSystem is Enlace and the simulator as far as the demonstration sees them.
type fakeSystem struct {
	mu         sync.Mutex
	empresas   []string
	claves     map[string]string // what the platform uses, by institution
	keys       map[string]bool
	operadores map[string]string
	commands   []string
	registered []string
	activated  []string
	loaded     []string // keys
	records    int
	// matches are the answers of /cliente/coincidencias in order; the last one stays.
	matches []string
	// failing answers 503 on the route.
	failing string

	server *httptest.Server
}

func newFakeSystem(t *testing.T) *fakeSystem {
	t.Helper()
	f := &fakeSystem{
		claves: map[string]string{}, keys: map[string]bool{}, operadores: map[string]string{}, matches: []string{notified},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /login", f.login)
	mux.HandleFunc("POST /i/{id}/login", f.login)
	mux.HandleFunc("POST /cliente/sandbox/ping", f.withKey(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }))
	mux.HandleFunc("POST /cliente/registros/lote", f.withKey(f.lote))
	mux.HandleFunc("POST /institucion/carga-terminada", f.withKey(func(_ http.ResponseWriter, r *http.Request) {
		f.loaded = append(f.loaded, r.Header.Get("X-API-Key"))
	}))
	mux.HandleFunc("GET /cliente/coincidencias", f.withKey(f.coincidencias))
	mux.HandleFunc("PUT /control/instituciones/{id}", func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.registered = append(f.registered, r.PathValue("id")+" "+string(body))
	})
	mux.HandleFunc("POST /control/instituciones/{id}/activar", func(w http.ResponseWriter, r *http.Request) {
		f.activated = append(f.activated, r.PathValue("id"))
		fmt.Fprint(w, `{"status":200,"cuerpo":{"message":"ok"},"duracion_ms":3}`)
	})
	f.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if r.URL.Path == f.failing {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.server.Close)
	return f
}

func (f *fakeSystem) login(w http.ResponseWriter, r *http.Request) {
	var body struct{ Usuario, Clave string }
	err := json.NewDecoder(r.Body).Decode(&body)
	wanted := f.operadores[body.Usuario]
	if body.Usuario == "PUI" {
		wanted = f.claves[r.PathValue("id")]
	}
	if err != nil || wanted == "" || body.Clave != wanted {
		w.WriteHeader(http.StatusUnauthorized)
	}
}

func (f *fakeSystem) withKey(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !f.keys[r.Header.Get("X-API-Key")] {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next(w, r)
	}
}

func (f *fakeSystem) lote(w http.ResponseWriter, r *http.Request) {
	var body struct{ Registros []registro }
	err := json.NewDecoder(r.Body).Decode(&body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	created := len(body.Registros) - f.records
	f.records = len(body.Registros)
	fmt.Fprintf(w, `{"total":%d,"creados":%d,"sin_cambios":%d}`, f.records, created, f.records-created)
}

const notified = `[{"reporte_id":"` + muestraReporte + `","folio":"DEMO-0001","fase_busqueda":"1","estado":"pendiente"},
	{"reporte_id":"otro","folio":"DEMO-0001","fase_busqueda":"2","estado":"notificada"},
	{"reporte_id":"` + muestraReporte + `","folio":"DEMO-0001","fase_busqueda":"2","estado":"notificada","notificada_en":"hoy"}]`

func (f *fakeSystem) coincidencias(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprint(w, f.matches[0])
	if len(f.matches) > 1 {
		f.matches = f.matches[1:]
	}
}

// operator plays the integracion binary.
func (f *fakeSystem) operator(_ context.Context, stdin string, args ...string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	command := strings.Join(args, " ")
	f.commands = append(f.commands, command)
	switch strings.Join(args[:2], " ") {
	case "empresas listar":
		var entries []string
		for _, id := range f.empresas {
			entries = append(entries, `{"id_empresa":"`+id+`"}`)
		}
		return []byte(`{"empresas":[` + strings.Join(entries, ",") + `]}`), nil
	case "empresas crear":
		f.empresas = append(f.empresas, args[3])
	case "claves entrada":
		f.claves[args[3]] = fmt.Sprintf("Clave-de-la-PUI-%d", len(f.commands))
		return []byte(`{"clave":"` + f.claves[args[3]] + `"}`), nil
	case "claves salida":
		if stdin == "" || strings.Contains(command, stdin) {
			return nil, errors.New("clave missing or in the arguments")
		}
	case "usuarios crear":
		if len(f.operadores) > 0 {
			return nil, errors.New("exists")
		}
		f.operadores[args[3]] = fmt.Sprintf("clave %d", len(f.commands))
		return []byte(`{"usuario":"` + args[3] + `","clave":"` + f.operadores[args[3]] + `"}`), nil
	case "api-keys emitir":
		key := fmt.Sprintf("iis_%d", len(f.commands))
		f.keys[key] = true
		return []byte(`{"api_key":"` + key + `","secreto_webhook":"whsec_` + key + `"}`), nil
	}
	return []byte(`{}`), nil
}

func (f *fakeSystem) system(t *testing.T, secretsPath string) System {
	t.Helper()
	secrets, err := envfile.Open(secretsPath)
	if err != nil {
		t.Fatal(err)
	}
	return System{BaseURL: f.server.URL, SimuladorURL: f.server.URL, Operator: f.operator, Secrets: secrets}
}

// prepare is one run's preparation; path holds what is kept between runs.
