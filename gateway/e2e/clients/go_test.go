package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	// What the generated client imports, which go mod tidy does not see.
	_ "github.com/oapi-codegen/runtime"
	_ "github.com/oapi-codegen/runtime/types"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// TestGo generates a client from the contract and runs the tests of testdata/goclient with
// it: an institution's whole task in Go.
func TestGo(t *testing.T) {
	t.Parallel()
	here, err := filepath.Abs("testdata/goclient")
	if err != nil {
		t.Fatal(err)
	}
	generated := filepath.Join(t.TempDir(), "cliente.gen.go")
	generate(t, filepath.Join(here, "generar.yaml"), generated)
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	content, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "cliente.gen.go"): generated}})
	if err != nil {
		t.Fatal(err)
	}
	err = os.WriteFile(overlay, content, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	args := slices.Concat([]string{"test", "-count", "1", "-overlay", overlay}, harness.Flags, []string{"./testdata/goclient"})
	output, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		t.Errorf("the tests of the generated client: %v\n%s", err, output)
	}
}

// generate runs the generator of the tools' module, as the document is today.
func generate(t *testing.T, config, out string) {
	t.Helper()
	root, err := harness.Repository()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "oapi-codegen", "-config", config, "-o", out, filepath.Join(root, "proto/openapi/openapi.json"))
	cmd.Dir = filepath.Join(root, "proto/tools")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("generate the client: %v\n%s", err, output)
	}
}
