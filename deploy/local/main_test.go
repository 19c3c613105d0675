package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/envfile"
	"github.com/enlace-iis/enlace/deploy/local/stack"
)

// the last line of the guide

func TestRun_twice(t *testing.T) {
	t.Parallel()
	dir := localDir(t)
	var before map[string]string
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		l := launch(t, dir, nil, "run")
		l.awaitLine(t, ready)
		requirePrivate(t, filepath.Join(dir, demoFile))
		values, err := envfile.Read(filepath.Join(dir, demoFile))
		if err != nil {
			t.Fatal(err)
		}
		requireDemoKeys(t, values)
		for _, key := range []string{"API_KEY_1", "PUI_CLAVE_2", "OPERADOR_CLAVE"} {
			if before != nil && before[key] != values[key] {
				t.Errorf("the second run changes %s", key)
			}
		}
		before = values

		l.signal(t, sig)
		l.signal(t, sig) // make repeats its own signals to its children
		status := l.end(t)
		if status != 0 {
			t.Errorf("status after %v = %d: %s", sig, status, &l.errors)
		}
		_, err = os.Stat(filepath.Join(dir, demoFile))
		if !os.IsNotExist(err) {
			t.Errorf("demo.env outlives the system: %v", err)
		}
		lines := journal(t, dir)
		if lines[len(lines)-1] != "stop simulador" {
			t.Errorf("journal ends with %q", lines[len(lines)-1])
		}
	}
	requireClean(t, dir)
}

func requirePrivate(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode of %s = %v", filepath.Base(path), info.Mode())
	}
}

func requireDemoKeys(t *testing.T, values map[string]string) {
	t.Helper()
	for _, key := range []string{
		"BASE_URL", "GRPC_REGISTROS", "GRPC_INTEGRACION", "SIMULADOR_URL", "OPERADOR_USUARIO", "OPERADOR_CLAVE",
		"ID_EMPRESA_1", "API_KEY_1", "WEBHOOK_SECRETO_1", "PUI_CLAVE_1",
		"ID_EMPRESA_2", "API_KEY_2", "WEBHOOK_SECRETO_2", "PUI_CLAVE_2",
	} {
		if values[key] == "" {
			t.Errorf("demo.env lacks %s", key)
		}
	}
}

// requireClean runs limpiar and looks at what is left: only what the stand-ins wrote themselves.
func requireClean(t *testing.T, dir string) {
	t.Helper()
	l := launch(t, dir, nil, "limpiar")
	status := l.end(t)
	if status != 0 {
		t.Errorf("status of limpiar = %d: %s", status, &l.errors)
	}
	_, err := os.Stat(filepath.Join(dir, "journal"))
	if err != nil {
		t.Errorf("limpiar deletes what is not its own: %v", err)
	}
	for _, name := range []string{stack.PostgresFolder, stack.SecretsFile, binFolder, logFolder, demoFile} {
		_, err := os.Stat(filepath.Join(dir, name))
		if !os.IsNotExist(err) {
			t.Errorf("limpiar leaves %s: %v", name, err)
		}
	}
}

func TestRun_childDies(t *testing.T) {
	t.Parallel()
	dir := localDir(t)
	l := launch(t, dir, nil, "run")
	l.awaitLine(t, ready)
	err := syscall.Kill(pidOf(t, dir, stack.Registros), syscall.SIGKILL)
	if err != nil {
		t.Fatal(err)
	}
	status := l.end(t)
	if status != 1 {
		t.Errorf("status = %d", status)
	}
	for _, text := range []string{"registros terminó", filepath.Join(dir, logFolder, "registros.log")} {
		if !strings.Contains(l.errors.String(), text) {
			t.Errorf("%q does not say %q", &l.errors, text)
		}
	}
	lines := journal(t, dir)
	if !slices.Contains(lines, "stop gateway") || !slices.Contains(lines, "stop integracion") {
		t.Errorf("the others were not stopped: %v", lines)
	}
}

func TestRun_signalWhileStarting(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"compila", "arranca PostgreSQL", "arranca integracion", "prepara"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			dir := localDir(t)
			l := launch(t, dir, nil, "run")
			l.awaitLine(t, step)
			l.signal(t, syscall.SIGINT)
			status := l.end(t)
			if status != 0 {
				t.Errorf("status = %d: %s", status, &l.errors)
			}
			_, err := os.Stat(filepath.Join(dir, demoFile))
			if !os.IsNotExist(err) {
				t.Errorf("demo.env is there: %v", err)
			}
		})
	}
}

func TestRun_staleDemoFile(t *testing.T) {
	t.Parallel()
	dir := localDir(t)
	stale := filepath.Join(dir, demoFile)
	err := os.WriteFile(stale, []byte("API_KEY_1='old'\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	l := launch(t, dir, []string{"FAKE_BROKEN=" + stack.Gateway}, "run")
	status := l.end(t)
	if status != 1 || !strings.Contains(l.errors.String(), "gateway.log") {
		t.Errorf("status = %d: %s", status, &l.errors)
	}
	_, err = os.Stat(stale)
	if !os.IsNotExist(err) {
		t.Errorf("a stale demo.env stays: %v", err)
	}
}

func TestRun_otherPlatform(t *testing.T) {
	t.Parallel()
	dir := localDir(t)
	l := launch(t, dir, []string{"PUI_BASE_URL=https://pui.example.mx", "PUI_SALIDA_CLAVE=clave"}, "run")
	l.awaitLine(t, ready)
	for _, line := range journal(t, dir) {
		if strings.Contains(line, "/activar") {
			t.Error("a report is activated")
		}
	}
	values, err := envfile.Read(filepath.Join(dir, demoFile))
	if err != nil {
		t.Fatal(err)
	}
	requireDemoKeys(t, values)
}

func TestRun_oneAtATime(t *testing.T) {
	t.Parallel()
	dir := localDir(t)
	first := launch(t, dir, nil, "run")
	first.awaitLine(t, "compila")
	for _, command := range []string{"run", "limpiar"} {
		second := launch(t, dir, nil, command)
		status := second.end(t)
		if status != 1 || !strings.Contains(second.errors.String(), "LOCAL_DIR") {
			t.Errorf("%s: status = %d: %s", command, status, &second.errors)
		}
	}
}

func TestRun_refusesSettings(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		"HTTP_PORT=puerto":                "HTTPPort",
		"HTTP_PORT=70000":                 "HTTPPort",
		"PUI_BASE_URL=https://pui":        "PUI_SALIDA_CLAVE",
		"PUI_SALIDA_CLAVE=clave":          "PUI_BASE_URL",
		"DATABASE_URL_REGISTROS=postgres": "DATABASE_URL_INTEGRACION",
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			l := launch(t, localDir(t), []string{setting}, "run")
			status := l.end(t)
			if status != 1 || !strings.Contains(l.errors.String(), want) {
				t.Errorf("status = %d: %s", status, &l.errors)
			}
		})
	}
}

func TestDispatch_usage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"correr"}, {"run", "más"}, {"con-postgres"}, {"con-postgres", "--"}, {"con-postgres", "ls", "x"}} {
		l := launch(t, t.TempDir(), nil, args...)
		status := l.end(t)
		if status != 2 || !strings.Contains(l.errors.String(), "uso:") {
			t.Errorf("%v: status = %d: %s", args, status, &l.errors)
		}
	}
}
