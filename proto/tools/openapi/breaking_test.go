package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBreaking changes the public contract and has it compared as openapi.sh does: what
// would break an institution's program is found, and what would not passes.
func TestBreaking(t *testing.T) {
	tests := []struct {
		name         string
		old, changed string
		breaking     bool
	}{
		{"nothing", ``, ``, false},
		{"another text", "Calle, hasta 50 caracteres", "La calle", false},
		{"a wider limit", `"maxLength": 64`, `"maxLength": 80`, false},
		{"a new field of an answer", `"creados": {`, `"nuevo": {"type": "string"}, "creados": {`, false},
		{"a new optional field of a request", `"primer_apellido": {`, `"apodo": {"type": "string"}, "primer_apellido": {`, false},
		{"a new path", `"/cliente/casos": {`, `"/cliente/otra": {"get": {"responses": {"200": {"description": "x"}}}}, "/cliente/casos": {`, false},

		{"a path less", `"/cliente/casos": {`, `"/cliente/casas": {`, true},
		{"a right status less", `"201": {`, `"202": {`, true},
		{"an error status less", `"422": {`, `"409": {`, true},
		{"the status of an unchanged list less", `"304": {`, `"305": {`, true},
		{"a header less", `"ETag": {
                "$ref"`, `"Etiqueta": {
                "$ref"`, true},
		{"a renamed field of an answer", `"abierto_en"`, `"apertura"`, true},
		{"a field of an answer that may be missing", `"abierto_en",`, ``, true},
		{"another type of an answer's field", `"description": "Registros nuevos.",
            "format": "int32",
            "minimum": 0,
            "type": "integer"`, `"description": "Registros nuevos.", "type": "string"`, true},
		{"a new value of an answer's field", `"en_busqueda",`, `"en_busqueda", "en_pausa",`, true},
		{"a new required field of a request", `"required": [
          "folio",`, `"required": ["nombre", "folio",`, true},
		{"a narrower limit", `"maxLength": 64`, `"maxLength": 60`, true},
		{"fewer records", `"maxItems": 5000`, `"maxItems": 1000`, true},
		{"another pattern of a request", `"pattern": "^[0-9]{5}$"`, `"pattern": "^[1-9]{5}$"`, true},
		{"a value of a request less", `"YUCATÁN",`, ``, true},
		{"a field of a request that must not be null", `"description": "Nombre, hasta 50 caracteres.",
            "maxLength": 50,
            "nullable": true,`, `"maxLength": 50,`, true},
	}
	before := string(readFile(t, publicPath))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(before, tt.old) {
				t.Fatalf("the contract has no %s", tt.old)
			}
			changed := filepath.Join(t.TempDir(), "changed.json")
			err := os.WriteFile(changed, []byte(strings.ReplaceAll(before, tt.old, tt.changed)), 0o600)
			if err != nil {
				t.Fatal(err)
			}
			var report bytes.Buffer
			compare := command(tools+"/oasdiff", "breaking", publicPath, changed,
				"--severity-levels", root+"/proto/openapi/severity.txt", "--fail-on", "WARN")
			compare.Stdout, compare.Stderr = &report, &report
			err = compare.Run()
			if tt.breaking != isRefusal(err) {
				t.Errorf("got %v: %s", err, &report)
			}
		})
	}
}

// isRefusal tells the status of a breaking change from those of other failures.
func isRefusal(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == 1
}
