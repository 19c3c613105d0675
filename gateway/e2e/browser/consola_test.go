//go:build browser

package browser

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/demo"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// TestConsola does everything at the root of a host, and comes in and looks around below a prefix.
func TestConsola(t *testing.T) {
	chromium := findChromium(t)
	node := harness.NewNode(t, "pages")
	binDir := filepath.Join(t.TempDir(), "bin")
	err := harness.Build(binDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, rootPath string
		whole          bool
	}{
		{"sin_prefijo", "", true},
		{"con_prefijo", "/enlace", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, binDir, tt.rootPath)
			d := prepare(t, s)
			told := node.Run(t, []string{
				"BASE_URL=" + s.Addresses().BaseURL + tt.rootPath, "WHOLE=" + strconv.FormatBool(tt.whole),
				"API_KEY_1=" + d.Empresas[0].ApiKey, "API_KEY_2=" + d.Empresas[1].ApiKey,
				"OPERADOR_USUARIO=" + d.Operador.Usuario, "OPERADOR_CLAVE=" + d.Operador.Clave,
				"CHROMIUM=" + chromium, "SCREENSHOTS=" + folder(t, "console-check", tt.name),
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
