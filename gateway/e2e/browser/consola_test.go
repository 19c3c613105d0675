//go:build browser

package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/demo"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// TestConsola does what people do, part by part, each with a system of its own: everything at the
// root of a host, and coming in and looking around below a prefix.
func TestConsola(t *testing.T) {
	chromium := findChromium(t)
	node := harness.NewNode(t, "pages")
	binDir := filepath.Join(t.TempDir(), "bin")
	err := harness.Build(binDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ part, rootPath string }{
		{"institucion", ""},
		{"envio", ""},
		{"muchos", ""},
		{"operador", ""},
		{"cuentas", ""},
		{"hostil", ""},
		{"fallas", ""},
		{"prefijo", "/enlace"},
	} {
		t.Run(tt.part, func(t *testing.T) {
			s := start(t, binDir, tt.rootPath)
			d := prepare(t, s)
			told := node.Run(t, []string{
				"BASE_URL=" + s.Addresses().BaseURL + tt.rootPath, "PART=" + tt.part, "CONTROL_URL=" + control(t, s),
				"API_KEY_1=" + d.Empresas[0].ApiKey, "API_KEY_2=" + d.Empresas[1].ApiKey,
				"OPERADOR_USUARIO=" + d.Operador.Usuario, "OPERADOR_CLAVE=" + d.Operador.Clave,
				"CHROMIUM=" + chromium, "SCREENSHOTS=" + folder(t, "console-check", tt.part),
			}, "node", "consola.mjs")
			t.Logf("%s", told)
		})
	}
}

// prepare makes the two demo institutions, of which the first has a match that was told.
func prepare(t *testing.T, s *harness.System) *demo.Demo {
	t.Helper()
	addresses := s.Addresses()
	d, err := demo.Prepare(t.Context(), demo.System{
		BaseURL: addresses.BaseURL, SimuladorURL: addresses.SimuladorURL, Operator: s.Operator, Secrets: s.Secrets(),
	}, demo.Plataforma{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.SendMuestra(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.FindMuestra(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// control lets the browser's tasks do to the system what befalls it: a program is killed and
// started again, and a second factor is required of operators from now on.
func control(t *testing.T, s *harness.System) string {
	t.Helper()
	acts := map[string]func(context.Context, string) error{
		"matar":   func(_ context.Context, program string) error { return s.Kill(program) },
		"iniciar": s.Restart,
		"exigir": func(ctx context.Context, program string) error {
			err := s.Setenv(program, "SECOND_FACTOR", "required")
			if err != nil {
				return err
			}
			return s.Restart(ctx, program)
		},
	}
	mux := http.NewServeMux()
	for name, act := range acts {
		mux.HandleFunc("POST /"+name+"/{program}", func(w http.ResponseWriter, r *http.Request) {
			err := act(r.Context(), r.PathValue("program"))
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}
