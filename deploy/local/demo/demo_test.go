package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

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
func prepare(t *testing.T, f *fakeSystem, path string, plataforma Plataforma) *Demo {
	t.Helper()
	d, err := Prepare(t.Context(), f.system(t, path), plataforma)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func secretsPath(t *testing.T) string { return filepath.Join(t.TempDir(), "secretos.env") }

func TestPrepare(t *testing.T) {
	t.Parallel()
	f := newFakeSystem(t)
	d := prepare(t, f, secretsPath(t), Plataforma{})

	var keys []string
	for _, e := range d.Entries() {
		if e.Value == "" {
			t.Errorf("%s is empty", e.Key)
		}
		keys = append(keys, e.Key)
	}
	want := []string{
		"OPERADOR_USUARIO", "OPERADOR_CLAVE",
		"ID_EMPRESA_1", "API_KEY_1", "WEBHOOK_SECRETO_1", "PUI_CLAVE_1",
		"ID_EMPRESA_2", "API_KEY_2", "WEBHOOK_SECRETO_2", "PUI_CLAVE_2",
	}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"LAB010101AB1", "LAB020202CD2"}, f.empresas); diff != "" {
		t.Error(diff)
	}
	if len(f.registered) != 2 || !strings.Contains(f.registered[0], `"url_base":"`+f.server.URL+`/i/LAB010101AB1"`) {
		t.Errorf("registered at the simulator: %v", f.registered)
	}
}

func TestPrepare_keepsWhatWorks(t *testing.T) {
	t.Parallel()
	f := newFakeSystem(t)
	path := secretsPath(t)
	first := prepare(t, f, path, Plataforma{})
	f.commands = nil
	second := prepare(t, f, path, Plataforma{})

	if diff := cmp.Diff(first.Entries(), second.Entries()); diff != "" {
		t.Error(diff)
	}
	for _, command := range f.commands {
		if !strings.HasPrefix(command, "sesion abrir") && !strings.HasPrefix(command, "empresas listar") && !strings.HasPrefix(command, "claves salida") {
			t.Errorf("the second run does %q", command)
		}
	}
	if len(f.registered) != 4 {
		t.Error("the second run does not tell the simulator, which forgets")
	}
}

// The operator of a database whose clave is not kept here is not replaced: only the first one needs nobody.
func TestPrepare_withoutTheOperatorsClave(t *testing.T) {
	t.Parallel()
	f := newFakeSystem(t)
	path := secretsPath(t)
	prepare(t, f, path, Plataforma{})
	f.operadores["operador"] = "changed since"
	_, err := Prepare(t.Context(), f.system(t, path), Plataforma{})
	if err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("prepared with %v", err)
	}
}

func TestPrepare_replacesWhatDoesNot(t *testing.T) {
	t.Parallel()
	f := newFakeSystem(t)
	path := secretsPath(t)
	first := prepare(t, f, path, Plataforma{})
	clear(f.keys)
	clear(f.claves)
	second := prepare(t, f, path, Plataforma{})

	if second.Empresas[0].ApiKey == first.Empresas[0].ApiKey || second.Empresas[0].PuiClave == first.Empresas[0].PuiClave {
		t.Error("a credential that does not work is kept")
	}
	third := prepare(t, f, path, Plataforma{})
	if diff := cmp.Diff(second.Entries(), third.Entries()); diff != "" {
		t.Error(diff)
	}
}

func TestPrepare_otherPlatform(t *testing.T) {
	t.Parallel()
	f := newFakeSystem(t)
	prepare(t, f, secretsPath(t), Plataforma{BaseURL: "https://pui.example.mx/api", Clave: "la clave"})
	if len(f.registered) != 0 {
		t.Errorf("registered at the simulator: %v", f.registered)
	}
	want := "claves salida --id-empresa LAB020202CD2 --url https://pui.example.mx/api --clave-stdin"
	if f.commands[len(f.commands)-1] != want {
		t.Errorf("last command = %q", f.commands[len(f.commands)-1])
	}
}

func TestPrepare_systemThatCannotTell(t *testing.T) {
	t.Parallel()
	for _, route := range []string{"/login", "/i/LAB020202CD2/login", "/cliente/sandbox/ping"} {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			f := newFakeSystem(t)
			path := secretsPath(t)
			prepare(t, f, path, Plataforma{})
			f.failing = route
			_, err := Prepare(t.Context(), f.system(t, path), Plataforma{})
			if err == nil || !strings.Contains(err.Error(), "answered 503") {
				t.Errorf("error = %v; a credential must not be replaced because the system is down", err)
			}
		})
	}
}

func TestDemo_muestra(t *testing.T) {
	t.Parallel()
	f := newFakeSystem(t)
	pending := strings.ReplaceAll(notified, "notificada", "pendiente")
	f.matches = []string{"[]", pending, notified}
	d := prepare(t, f, secretsPath(t), Plataforma{})

	for _, want := range []Lote{{Total: 3, Creados: 3}, {Total: 3, SinCambios: 3}} {
		lote, err := d.SendMuestra(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, lote); diff != "" {
			t.Error(diff)
		}
		match, err := d.FindMuestra(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if match.FaseBusqueda != "2" || match.NotificadaEn != "hoy" {
			t.Errorf("match = %+v", match)
		}
	}
	if diff := cmp.Diff([]string{"LAB010101AB1", "LAB010101AB1"}, f.activated); diff != "" {
		t.Error(diff)
	}
}

func TestDemo_muestraRejected(t *testing.T) {
	t.Parallel()
	f := newFakeSystem(t)
	d := prepare(t, f, secretsPath(t), Plataforma{})
	f.matches = []string{strings.ReplaceAll(notified, "notificada", "rechazada")}
	_, err := d.FindMuestra(t.Context())
	if err == nil || !strings.Contains(err.Error(), "rejected") {
		t.Errorf("error = %v", err)
	}
	f.failing = "/cliente/registros/lote"
	_, err = d.SendMuestra(t.Context())
	if err == nil {
		t.Error("a failed batch counts as sent")
	}
}
