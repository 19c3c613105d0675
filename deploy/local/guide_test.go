package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/stack"
)

func printed(t *testing.T, s settings) string {
	t.Helper()
	var out bytes.Buffer
	err := launcher{settings: s, out: &out}.printGuide(stack.Addresses{
		BaseURL: "http://127.0.0.1:8080", SimuladorURL: "http://127.0.0.1:8090",
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGuide_linesAreShell(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]settings{
		"plain":          {LocalDir: "/tmp/x"},
		"awkward folder": {LocalDir: "/tmp/it's a $HOME"},
		"platform":       {LocalDir: "/tmp/x", PuiBaseURL: "https://pui.example.mx"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, commands, _ := strings.Cut(printed(t, s), "otra terminal:\n")
			// curl is replaced by one that succeeds, so what is tried is the quoting and the names.
			script := "curl() { :; }\n" + commands
			dir := t.TempDir()
			demo := filepath.Join(dir, demoFile)
			err := os.WriteFile(demo, []byte("A='1'\n"), 0o600)
			if err != nil {
				t.Fatal(err)
			}
			script = strings.Replace(script, "  . "+shellPath(s.path(demoFile)), "  . "+demo, 1)
			output, err := exec.Command("/bin/sh", "-e", "-c", script).CombinedOutput()
			if err != nil || len(output) != 0 {
				t.Errorf("%v: %s\n%s", err, output, script)
			}
		})
	}
}

func TestGuide_documentation(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		settings settings
		want     string
	}{
		{settings{AppEnv: "development"}, "http://127.0.0.1:8080/docs"},
		{settings{AppEnv: "production", DocsEnabled: true, RootPath: "/enlace/"}, "http://127.0.0.1:8080/enlace/docs"},
		{settings{AppEnv: "production"}, ""},
	} {
		text := printed(t, tt.settings)
		if strings.Contains(text, "/docs") != (tt.want != "") || !strings.Contains(text, tt.want) {
			t.Errorf("%+v: %s", tt.settings, text)
		}
	}
}

func TestGuide_otherPlatform(t *testing.T) {
	t.Parallel()
	text := printed(t, settings{PuiBaseURL: "https://pui.example.mx"})
	if strings.Contains(text, "/activar") || !strings.Contains(text, "https://pui.example.mx") {
		t.Error(text)
	}
}

func TestShellPath(t *testing.T) {
	t.Parallel()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, ".local/demo.env"): ".local/demo.env",
		filepath.Join(dir, "demo.env"):        "./demo.env",
		"/elsewhere/demo.env":                 "/elsewhere/demo.env",
		"/with space/demo.env":                "'/with space/demo.env'",
	} {
		got := shellPath(path)
		if got != want {
			t.Errorf("%s = %s, want %s", path, got, want)
		}
	}
}
