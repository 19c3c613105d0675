package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	root       = "../../.."
	publicPath = root + "/proto/openapi/openapi.json"
	livePath   = root + "/gateway/internal/docs/openapi.json"
)

// tools is where the tests find the tools of this module, and swagger what the plugin makes
// of the protos as they are now.
var (
	tools   string
	swagger []byte
)

func TestMain(m *testing.M) {
	code, err := withTools(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "prepare tests:", err)
		code = 1
	}
	os.Exit(code)
}

func withTools(m *testing.M) (code int, err error) {
	tools, err = os.MkdirTemp("", "tools")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tools)) }()
	err = command("go", "build", "-o", tools+"/", "github.com/bufbuild/buf/cmd/buf",
		"github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-openapiv2", "github.com/oasdiff/oasdiff").Run()
	if err != nil {
		return 0, fmt.Errorf("build tools: %w", err)
	}
	// As openapi.sh does, so that the template says which protos are read.
	generate := command(tools+"/buf", "generate", "--template", "proto/openapi/buf.gen.yaml", "-o", tools)
	generate.Dir = root
	err = generate.Run()
	if err != nil {
		return 0, fmt.Errorf("read protos: %w", err)
	}
	swagger, err = os.ReadFile(tools + "/enlace.swagger.json")
	if err != nil {
		return 0, err
	}
	return m.Run(), nil
}

func command(name string, arguments ...string) *exec.Cmd {
	made := exec.Command(name, arguments...)
	made.Env = append(os.Environ(), "GOWORK=off", "PATH="+tools+":"+os.Getenv("PATH"))
	made.Stderr = os.Stderr
	return made
}

// TestRun_current finds documents that were not made again after a change.
func TestRun_current(t *testing.T) {
	dir := t.TempDir()
	public, live := filepath.Join(dir, "public"), filepath.Join(dir, "live")
	err := run(tools+"/enlace.swagger.json", public, live)
	if err != nil {
		t.Fatal(err)
	}
	for made, committed := range map[string]string{public: publicPath, live: livePath} {
		if !bytes.Equal(readFile(t, made), readFile(t, committed)) {
			t.Errorf("%s is not what the generator writes; run make openapi", committed)
		}
	}
}

func TestBuild_sameBytes(t *testing.T) {
	public, live, err := build(swagger)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		publicAgain, liveAgain, err := build(swagger)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(live, liveAgain) || !bytes.Equal(public, publicAgain) {
			t.Fatal("the same protos give other documents")
		}
	}
}

// TestBuild_refuses changes what the plugin made of the protos so that it no longer fits the
// generated code, the examples or the guide.
func TestBuild_refuses(t *testing.T) {
	for name, tt := range map[string]struct{ old, changed, complaint string }{
		"a renamed RPC":      {`"operationId": "Ping"`, `"operationId": "Otra"`, "is of no method"},
		"a renamed field":    {`"codigo_postal":`, `"cp":`, "codigo_postal"},
		"another parameter":  {`"name": "key_id"`, `"name": "llave"`, "parametros.json has no llave"},
		"an example's field": {`"sin_cambios": {`, `"iguales": {`, "sin_cambios"},
		"not JSON":           {`"swagger"`, `swagger`, "read swagger"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.ReplaceAll(string(swagger), tt.old, tt.changed)
			_, _, err := build([]byte(changed))
			if err == nil || !strings.Contains(err.Error(), tt.complaint) {
				t.Errorf("got %v, want a complaint about %q", err, tt.complaint)
			}
		})
	}
}

func TestBuild_refusesUnknownPath(t *testing.T) {
	changed := strings.Replace(string(swagger), `"paths": {`, `"paths": {"/nueva": {"get": {"operationId": "Nueva", "responses": {"200": {"description": "x"}}}},`, 1)
	_, _, err := build([]byte(changed))
	if err == nil || !strings.Contains(err.Error(), "/nueva") {
		t.Errorf("got %v", err)
	}
}

// What a method is refused for has a response.
func TestDescribeOperations_refusesUntold(t *testing.T) {
	d, err := convert(swagger)
	if err != nil {
		t.Fatal(err)
	}
	d.refusals.Refusals = slices.DeleteFunc(d.refusals.Refusals, func(r refusal) bool { return strings.HasPrefix(r.Name, "Conflicto") })
	err = d.describeOperations()
	if err == nil || !strings.Contains(err.Error(), "is refused with [conflicto]") {
		t.Errorf("got %v", err)
	}
}

func TestHeadline(t *testing.T) {
	for _, tt := range []struct{ summary, description, wantSummary, wantDescription string }{
		{"Una frase.", "", "Una frase", ""},
		{"Una frase. Y otra.", "", "Una frase", "Y otra."},
		{"Un título", "Un párrafo.", "Un título", "Un párrafo."},
		{"Hasta 5000. Ninguno. Fin.", "Un párrafo.", "Hasta 5000", "Ninguno. Fin.\n\nUn párrafo."},
	} {
		summary, description := headline(tt.summary, tt.description)
		if summary != tt.wantSummary || description != tt.wantDescription {
			t.Errorf("%q: got %q and %q, want %q and %q", tt.summary, summary, description, tt.wantSummary, tt.wantDescription)
		}
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
