package registrostest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/registros/registrostest"
)

// TestEjemplo runs the contract's example client against the real service.
func TestEjemplo(t *testing.T) {
	t.Parallel()
	integracion := integraciontest.Start(t, integraciontest.Options{})
	integracion.CreateEmpresa(empresa, "Laboratorio")
	registros := registrostest.Start(t, registrostest.Options{IntegracionTarget: integracion.Target})
	example := exec.CommandContext(t.Context(), "go", "run", "./examples/cliente")
	example.Dir = filepath.Join("..", "..", "..", "proto")
	example.Env = append(os.Environ(), "GOWORK=off",
		"GRPC_REGISTROS="+registros.Target, "API_KEY="+integracion.IssueApiKey(empresa).Texto)
	output, err := example.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, want := range []string{"pong, " + empresa, "1 creados, 0 sin cambios, 0 rechazados", "0 casos"} {
		if !strings.Contains(string(output), want) {
			t.Errorf("output lacks %q:\n%s", want, output)
		}
	}
}
