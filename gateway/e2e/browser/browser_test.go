//go:build browser

// Package browser looks at the documentation pages and the console of the built system with a
// real browser, at the root of a host and below a prefix. What it looks for is in pages/mirar.mjs
// and pages/consola.mjs.
//
// Chromium is too large to be needed for every test, so the suite has a build tag and its own
// commands: make docs-check and make console-check.
package browser

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// local is where what the browser saw is kept, a folder for each check and case.
const local = "../../../.local"

func TestPages(t *testing.T) {
	chromium := findChromium(t)
	node := harness.NewNode(t, "pages")
	binDir := filepath.Join(t.TempDir(), "bin")
	err := harness.Build(binDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, rootPath string }{
		{"sin_prefijo", ""},
		{"con_prefijo", "/enlace"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := start(t, binDir, tt.rootPath).NewInstitucion(t)
			saw := node.Run(t, []string{
				"BASE_URL=" + i.BaseURL + tt.rootPath, "API_KEY=" + i.ApiKey,
				"CHROMIUM=" + chromium, "SCREENSHOTS=" + folder(t, "docs-check", tt.name),
			}, "node", "mirar.mjs")
			t.Logf("%s", saw)
		})
	}
}

// findChromium finds the browser that CHROMIUM names, or one on the PATH.
func findChromium(t *testing.T) string {
	t.Helper()
	wanted := cmp.Or(os.Getenv("CHROMIUM"), "chromium")
	path, err := exec.LookPath(wanted)
	if err != nil {
		t.Fatalf("this test needs Chromium: apt-get install chromium, or name yours in CHROMIUM (%v)", err)
	}
	return path
}

// start starts a system for one test.
func start(t *testing.T, binDir, rootPath string) *harness.System {
	t.Helper()
	s, err := harness.Start(binDir, t.TempDir(), map[string]string{"ROOT_PATH": rootPath, "DOCS_ENABLED": "true"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err := s.Stop(ctx)
		if err != nil {
			t.Error(err)
		}
	})
	return s
}

// folder makes an empty folder for the screenshots of a case.
func folder(t *testing.T, check, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(local, check, name))
	if err != nil {
		t.Fatal(err)
	}
	err = os.RemoveAll(path)
	if err != nil {
		t.Fatal(err)
	}
	err = os.MkdirAll(path, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
