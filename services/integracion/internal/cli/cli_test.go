package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

const (
	empresa   = "LAB010101AB1"
	operadora = "operadora-1"
)

// settings gives the commands a service with a database of the test's own, and an operator's
// session.
func settings(t *testing.T) *integraciontest.Servicio {
	t.Helper()
	servicio := integraciontest.Start(t, integraciontest.Options{})
	servicio.Setenv(t)
	t.Setenv("SESSION_FILE", filepath.Join(t.TempDir(), "sesiones", "sesion.json"))
	mustRun(t, servicio.CreateUsuario(operadora), "sesion", "abrir", "--usuario", operadora, "--clave-stdin")
	return servicio
}

// run does one command and reads its one JSON object.
func run(t *testing.T, stdin string, args ...string) (map[string]any, error) {
	t.Helper()
	var out bytes.Buffer
	root := terminal.Program{Name: "integracion"}.Command()
	err := Run(t.Context(), root, &terminal.Terminal{In: strings.NewReader(stdin), Out: &out, Err: io.Discard}, args)
	if err != nil {
		if out.Len() > 0 {
			t.Errorf("%v printed %s although it failed", args, out.String())
		}
		return nil, err
	}
	decoder := json.NewDecoder(&out)
	var printed map[string]any
	err = decoder.Decode(&printed)
	if err != nil || decoder.More() {
		t.Fatalf("%v printed more or less than one JSON object: %v", args, err)
	}
	return printed, nil
}

func mustRun(t *testing.T, stdin string, args ...string) map[string]any {
	t.Helper()
	printed, err := run(t, stdin, args...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return printed
}

func wantKeys(t *testing.T, printed map[string]any, want ...string) {
	t.Helper()
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(printed))); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestClaves(t *testing.T) {
	settings(t)
	mustRun(t, "", "empresas", "crear", "--id", empresa, "--nombre", "LABORATORIO")
	made := mustRun(t, "", "claves", "entrada", "--id-empresa", empresa)
	wantKeys(t, made, "id_empresa", "url_base", "usuario", "clave")
	if clave, _ := made["clave"].(string); !manual.IsClave(clave) {
		t.Errorf("made up %q", clave)
	}
	given := mustRun(t, "Clave-Elegida-001\n", "claves", "entrada", "--id-empresa", empresa, "--clave-stdin")
	if given["clave"] != "Clave-Elegida-001" {
		t.Errorf("given %v", given)
	}
	salida := mustRun(t, "la clave\r\n", "claves", "salida", "--id-empresa", empresa, "--url", "https://pui.example.mx/", "--clave-stdin")
	if salida["pui_url"] != "https://pui.example.mx" {
		t.Errorf("towards the platform %v", salida)
	}
	_, err := run(t, "", "claves", "salida", "--id-empresa", empresa, "--url", "https://pui.example.mx/")
	wantStatus(t, err, 2, "No hay una terminal para preguntar la clave: dé --clave-stdin.")
}

// until is an instant so many days from now.
func until(days int) string {
	return time.Now().AddDate(0, 0, days).UTC().Format(time.RFC3339)
}

func TestApiKeys(t *testing.T) {
	settings(t)
	mustRun(t, "", "empresas", "crear", "--id", empresa, "--nombre", "LABORATORIO")
	issued := mustRun(t, "", "api-keys", "emitir", "--id-empresa", empresa, "--nombre", "la llave",
		"--ambitos", "cliente, eventos", "--caduca-en", "2099-01-02T03:04:05Z")
	wantKeys(t, issued, "key_id", "api_key", "secreto_webhook", "id_empresa", "nombre", "ambitos", "estado", "creada_en", "caduca_en")
	text, _ := issued["api_key"].(string)
	key, err := auth.Parse(text)
	if err != nil || key.ID != issued["key_id"] || key.Ambiente != "development" {
		t.Errorf("issued a key of %s for %s: %v", key.Ambiente, key.ID, err)
	}
	if webhook, _ := issued["secreto_webhook"].(string); !strings.HasPrefix(webhook, "whsec_") {
		t.Errorf("webhook secret %q", webhook)
	}
	plain := mustRun(t, "", "api-keys", "emitir", "--id-empresa", empresa, "--nombre", "otra", "--ambitos", "cliente")
	if plain["secreto_webhook"] != nil || plain["caduca_en"] != nil {
		t.Errorf("issued %v", plain)
	}
	listed, _ := mustRun(t, "", "api-keys", "listar", "--id-empresa", empresa)["api_keys"].([]any)
	if len(listed) != 2 {
		t.Fatalf("listed %v", listed)
	}
	for _, each := range listed {
		wantKeys(t, each.(map[string]any), "key_id", "id_empresa", "nombre", "ambitos", "estado", "prefijo",
			"creada_en", "caduca_en", "ultimo_uso_en", "revocada_en")
	}
	rotated := mustRun(t, "", "api-keys", "rotar", "--key-id", plain["key_id"].(string), "--caduca-en", until(20))
	wantKeys(t, rotated, "nueva", "anterior")
	if rotated["anterior"].(map[string]any)["caduca_en"] == nil || rotated["nueva"].(map[string]any)["api_key"] == "" {
		t.Errorf("rotated %v", rotated)
	}
	for dias, want := range map[string]int{"5": 0, "10": 0, "30": 1} {
		soon := mustRun(t, "", "api-keys", "por-vencer", "--dias", dias)["api_keys"].([]any)
		if len(soon) != want {
			t.Errorf("within %s days: %v, want %d", dias, soon, want)
		}
	}
	revoked := mustRun(t, "", "api-keys", "revocar", "--key-id", key.ID)
	if revoked["estado"] != "revocada" || revoked["revocada_en"] == nil {
		t.Errorf("revoked %v", revoked)
	}
}

func TestRun_refuses(t *testing.T) {
	settings(t)
	mustRun(t, "", "empresas", "crear", "--id", empresa, "--nombre", "LABORATORIO")
	tests := []struct {
		name  string
		stdin string
		args  []string
		want  string
	}{
		{"unknown command", "", []string{"destruir"}, `no tiene el comando "destruir"`},
		{"half a command", "", []string{"empresas"}, "Falta decir qué de empresas: cambiar, crear,"},
		{"missing flag", "", []string{"claves", "salida", "--id-empresa", empresa}, "Falta --url;"},
		{"unknown flag", "", []string{"empresas", "listar", "--todo"}, "no tiene la opción --todo; tiene --estado, --help y --salida."},
		{"stray argument", "", []string{"empresas", "listar", "todo"}, "no admite más palabras"},
		{"clave in an argument", "", []string{"claves", "entrada", "--id-empresa", empresa, "--clave", "x"}, "no tiene la opción --clave;"},
		{"no clave on stdin", "", []string{"usuarios", "crear", "--usuario", "u", "--clave-stdin"}, "La entrada estándar está vacía"},
		{"weak clave", "corta", []string{"claves", "entrada", "--id-empresa", empresa, "--clave-stdin"}, "16 a 20"},
		{"platform without TLS", "c", []string{"claves", "salida", "--id-empresa", empresa, "--url", "ftp://x", "--clave-stdin"}, "https://"},
		{"unknown institution", "", []string{"claves", "entrada", "--id-empresa", "NADA010101AB1"}, "No existe esa institución."},
		{"no institution", "", []string{"api-keys", "listar", "--id-empresa", ""}, "Falta --id-empresa;"},
		{"keys of an unknown institution", "", []string{"api-keys", "listar", "--id-empresa", "NADA010101AB1"}, "No existe esa institución."},
		{"unknown scope", "", []string{"api-keys", "emitir", "--id-empresa", empresa, "--nombre", "n", "--ambitos", "todo"}, "ámbitos"},
		{"no instant", "", []string{"api-keys", "emitir", "--id-empresa", empresa, "--nombre", "n", "--ambitos", "cliente", "--caduca-en", "mañana"}, "RFC 3339"},
		{"unknown key", "", []string{"api-keys", "revocar", "--key-id", "X"}, "No existe esa llave."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := run(t, tt.stdin, tt.args...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want it to say %q", err, tt.want)
			}
		})
	}
}

func TestRun_saysAllThatIsMissing(t *testing.T) {
	for _, name := range []string{"DATABASE_URL", "ENCRYPTION_KEYS", "HASH_SECRET"} {
		t.Setenv(name, "")
	}
	_, err := run(t, "", "usuarios", "crear", "--usuario", "nadie")
	if err == nil || !strings.Contains(err.Error(), "HASH_SECRET") && !strings.Contains(err.Error(), "ENCRYPTION_KEYS") {
		t.Errorf("error = %v", err)
	}
}
