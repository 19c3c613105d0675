package stack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestStack_KillAndRestart(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, name := range []string{Registros, Integracion, Gateway, Simulador} {
		err := s.Kill(name)
		if err != nil {
			t.Fatal(err)
		}
		if isReady(t.Context(), "http://"+s.Addresses().Ops[name]+"/readyz") {
			t.Errorf("%s still serves", name)
		}
		for range 2 { // once after the kill, once while it runs
			err = s.Restart(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			if !isReady(t.Context(), "http://"+s.Addresses().Ops[name]+"/readyz") {
				t.Errorf("%s does not serve at its old address", name)
			}
		}
	}
	err := s.Kill("correo")
	if err == nil {
		t.Error("an unknown part is killed")
	}
	select {
	case exit := <-s.Exited():
		t.Errorf("a planned end is reported: %v", exit)
	default:
	}
}

func TestStack_KillAndRestartPostgres(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	err := s.Kill(Postgres)
	if err != nil {
		t.Fatal(err)
	}
	_, err = pgx.Connect(t.Context(), s.OwnerURL(Registros))
	if err == nil {
		t.Error("PostgreSQL still answers")
	}
	for range 2 {
		err = s.Restart(t.Context(), Postgres)
		if err != nil {
			t.Fatal(err)
		}
		connect(t, s.OwnerURL(Registros))
	}
}

func TestStack_Exited(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	err := s.Restart(t.Context(), Registros) // a restarted part is watched too
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.find(Registros)
	if err != nil {
		t.Fatal(err)
	}
	err = r.kill()
	if err != nil {
		t.Fatal(err)
	}
	exit := <-s.Exited()
	if exit.Name != Registros || !strings.HasSuffix(exit.LogPath, "registros.log") {
		t.Errorf("exit = %v", exit)
	}
}

func TestStack_Operator(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	answer, err := s.Operator(t.Context(), "secret", "eco", "--clave-stdin")
	want := `{"args":["eco","--clave-stdin"],"stdin":"secret"}`
	if err != nil || strings.TrimSpace(string(answer)) != want {
		t.Errorf("answer = %s, %v", answer, err)
	}
	_, err = s.Operator(t.Context(), "", "fail")
	if err == nil || !strings.Contains(err.Error(), "no such institution") {
		t.Errorf("error = %v, want what the command said", err)
	}
}

func TestStack_Setenv(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	err := s.Setenv(Integracion, "APP_ENV", "otro")
	if err != nil {
		t.Fatal(err)
	}
	if got := environmentOf(t, s, Integracion)["APP_ENV"]; got != "development" {
		t.Errorf("before its restart integracion has APP_ENV %q", got)
	}
	for range 2 { // it is kept
		err = s.Restart(t.Context(), Integracion)
		if err != nil {
			t.Fatal(err)
		}
		if got := environmentOf(t, s, Integracion)["APP_ENV"]; got != "otro" {
			t.Errorf("after its restart integracion has APP_ENV %q", got)
		}
	}
	if got := environmentOf(t, s, Registros)["APP_ENV"]; got != "development" {
		t.Errorf("registros has APP_ENV %q", got)
	}
	err = s.Setenv(Postgres, "APP_ENV", "otro")
	if err == nil {
		t.Error("PostgreSQL takes a setting of ours")
	}
}

func TestStack_UseBinaries(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	next := t.TempDir()
	for _, name := range []string{Registros, Integracion} {
		err := os.Symlink(filepath.Join(binDir, name), filepath.Join(next, name))
		if err != nil {
			t.Fatal(err)
		}
	}
	err := s.UseBinaries(next)
	if err != nil {
		t.Fatal(err)
	}
	if got := environmentOf(t, s, Registros)["PROGRAM"]; got != filepath.Join(binDir, Registros) {
		t.Errorf("before its restart registros is %s", got)
	}
	err = s.Migrate(t.Context(), Integracion)
	if err != nil {
		t.Fatal(err)
	}
	if got := environmentOf(t, s, Integracion+"-migrate")["PROGRAM"]; got != filepath.Join(next, Integracion) {
		t.Errorf("%s migrates", got)
	}
	err = s.Restart(t.Context(), Registros)
	if err != nil {
		t.Fatal(err)
	}
	if got := environmentOf(t, s, Registros)["PROGRAM"]; got != filepath.Join(next, Registros) {
		t.Errorf("after its restart registros is %s", got)
	}
}

func TestOpenLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.log")
	for size, want := range map[int64]int64{100: 100, longestLog + 1: 0} {
		err := os.WriteFile(path, nil, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		err = os.Truncate(path, size)
		if err != nil {
			t.Fatal(err)
		}
		log, err := openLog(path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := log.Stat()
		if err != nil || info.Size() != want {
			t.Errorf("a log of %d bytes goes on with %d, want %d", size, info.Size(), want)
		}
		err = log.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
}
