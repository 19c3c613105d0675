package demo

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
	one, two := d.Empresas[0].ApiKey, d.Empresas[1].ApiKey
	if diff := cmp.Diff([]string{one, two, one, two}, f.loaded); diff != "" {
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
