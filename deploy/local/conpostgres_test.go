package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestConPostgres(t *testing.T) {
	t.Parallel()
	l := launch(t, t.TempDir(), nil, "con-postgres", "--", "sh", "-c", `echo "$TEST_DATABASE_URL"; echo noise >&2; read line || exit 7`)
	address, err := l.output.ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, &l.errors)
	}
	address = strings.TrimSpace(address)
	if !strings.HasPrefix(address, "postgres://") {
		t.Errorf("TEST_DATABASE_URL = %q", address)
	}
	status := l.end(t)
	if status != 7 {
		t.Errorf("status = %d", status)
	}
	if !strings.Contains(l.errors.String(), "noise") {
		t.Error("standard error is lost")
	}
	_, err = pgx.Connect(t.Context(), address)
	if err == nil {
		t.Error("the cluster outlives the command")
	}
}

func TestConPostgres_databaseOfThePerson(t *testing.T) {
	t.Parallel()
	const own = "postgres://somewhere/else"
	l := launch(t, t.TempDir(), []string{testDatabaseURL + "=" + own}, "con-postgres", "--", "printenv", testDatabaseURL)
	l.awaitLine(t, own)
	status := l.end(t)
	if status != 0 {
		t.Errorf("status = %d: %s", status, &l.errors)
	}
}

func TestConPostgres_passesSignalsOn(t *testing.T) {
	t.Parallel()
	// A given database spares the cluster: only the signal matters here.
	env := []string{testDatabaseURL + "=postgres://somewhere/else"}
	l := launch(t, t.TempDir(), env, "con-postgres", "--", "sh", "-c", `trap 'echo bye; exit 5' INT; echo up; while :; do sleep 0.05; done`)
	l.awaitLine(t, "up")
	l.signal(t, syscall.SIGINT)
	l.awaitLine(t, "bye")
	status := l.end(t)
	if status != 5 {
		t.Errorf("status = %d", status)
	}

	l = launch(t, t.TempDir(), env, "con-postgres", "--", "sh", "-c", `sleep 600 & echo $!; wait`)
	pid, err := l.output.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	l.signal(t, syscall.SIGTERM)
	status = l.end(t)
	if status != 128+int(syscall.SIGTERM) {
		t.Errorf("status = %d", status)
	}
	number, err := strconv.Atoi(strings.TrimSpace(pid))
	if err != nil {
		t.Fatal(err)
	}
	awaitGone(t, number)
}

func TestConPostgres_missingCommand(t *testing.T) {
	t.Parallel()
	l := launch(t, t.TempDir(), []string{testDatabaseURL + "=postgres://x"}, "con-postgres", "--", "no-such-command")
	status := l.end(t)
	if status != 127 || !strings.Contains(l.errors.String(), "no-such-command") {
		t.Errorf("status = %d: %s", status, &l.errors)
	}
}

func TestClean_nothingThere(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "absent")
	l := launch(t, dir, nil, "limpiar")
	status := l.end(t)
	if status != 0 {
		t.Errorf("status = %d: %s", status, &l.errors)
	}
	_, err := os.Stat(dir)
	if !os.IsNotExist(err) {
		t.Error("limpiar makes the folder")
	}
}

func TestClean_deletesItsFolder(t *testing.T) {
	t.Parallel()
	dir := localDir(t)
	for _, name := range []string{binFolder, logFolder} {
		err := os.MkdirAll(filepath.Join(dir, name, "x"), 0o755)
		if err != nil {
			t.Fatal(err)
		}
	}
	l := launch(t, dir, nil, "limpiar")
	status := l.end(t)
	if status != 0 {
		t.Errorf("status = %d: %s", status, &l.errors)
	}
	_, err := os.Stat(dir)
	if !os.IsNotExist(err) {
		t.Error("limpiar leaves the folder")
	}
}
