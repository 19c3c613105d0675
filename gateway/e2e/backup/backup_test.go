//go:build backup

package backup

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

var services = []string{stack.Registros, stack.Integracion}

func TestRespaldo_whatWasAcknowledgedBeforeItIsThereAgain(t *testing.T) {
	i := system.NewInstitucion(t)
	i.Post(t, "/cliente/registros", harness.Registro("A-1", harness.CurpUno, harness.Day(-3))).Want(t, http.StatusCreated)
	told, pending, lost := harness.ReporteID(1), harness.ReporteID(2), harness.ReporteID(3)
	activate(t, i, told)
	harness.Eventually(t, "the end of the first search", func() bool { return slices.Contains(i.Told(told), harness.Fin) })
	// The second report is known, and nothing of it told, when the backup is taken.
	i.Plataforma.Fail(simuladortest.Falla{
		InstitucionID: i.ID, Ruta: simuladortest.RutaNotificarCoincidencia, Tipo: simuladortest.FallaStatus, Status: http.StatusInternalServerError,
	})
	activate(t, i, pending)
	harness.Eventually(t, "the pending matches", func() bool { return len(i.Coincidencias(t)) > 2 })

	removed := newRemoved(t)
	load := startLoad(t, i)
	harness.Eventually(t, "some load", func() bool { return load.acknowledged.Load() > 20 })
	before := int(load.acknowledged.Load())
	backup := strings.TrimSpace(script(t, "backup.sh", t.TempDir(), func(service string) string {
		return system.AdminURL(stack.Postgres, service)
	}))
	harness.Eventually(t, "load after the backup", func() bool { return int(load.acknowledged.Load()) > before+20 })
	removed.remove(t)
	activate(t, i, lost)
	harness.Eventually(t, "the third caso", func() bool { return len(i.Casos(t)) == 3 })
	known := i.Get(t, "/cliente/casos").Want(t, http.StatusOK)
	load.stop()

	loseDatabases(t)
	script(t, "restore.sh", backup, system.OwnerURL)
	removed.reapply(t)
	for _, service := range services {
		err := system.Restart(t.Context(), service)
		if err != nil {
			t.Fatal(err)
		}
	}
	i.Plataforma.ClearFaults()

	wantRegistros(t, i, before)
	harness.Eventually(t, "the end of the second search", func() bool { return slices.Contains(i.Told(pending), harness.Fin) })
	if steps := i.Told(pending); !slices.Equal(steps, []string{"1:", "2:" + harness.Day(-3), harness.Fin}) {
		t.Errorf("of the second report the platform was told %v", steps)
	}
	// It came after the backup; the platform's list brings it back.
	harness.Eventually(t, "the third caso's return", func() bool { return len(i.Casos(t)) == 3 })
	if epoch(t, i.Get(t, "/cliente/casos").Want(t, http.StatusOK)) == epoch(t, known) {
		t.Error("the lists' ETags go on as before; one of a lost list may come again")
	}
	removed.wantGone(t)
	// The platform's clave and ours towards it still serve.
	activate(t, i, harness.ReporteID(4))
	harness.Eventually(t, "the end of the fourth search", func() bool {
		return slices.Contains(i.Told(harness.ReporteID(4)), harness.Fin)
	})
}

// epoch is the part of a list's ETag that does not count.
func epoch(t *testing.T, list harness.Answer) string {
	t.Helper()
	text, _, found := strings.Cut(list.Header.Get("ETag"), "-")
	if !found {
		t.Fatalf("ETag %s", list.Header.Get("ETag"))
	}
	return text
}

func activate(t *testing.T, i *harness.Institucion, id string) {
	t.Helper()
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
}

// load writes records one after the other, whose folios count up.
type load struct {
	acknowledged atomic.Int32
	stop         func()
}

func startLoad(t *testing.T, i *harness.Institucion) *load {
	l := &load{}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			n := l.acknowledged.Load()
			status, err := harness.Status(ctx, i.BaseURL+"/cliente/registros", http.Header{"X-Api-Key": {i.ApiKey}}, carga(int(n)))
			if ctx.Err() == nil && (err != nil || status != http.StatusCreated) {
				ended <- fmt.Errorf("record %d: status %d, %w", n, status, err)
				return
			}
			if err == nil {
				l.acknowledged.Add(1)
			}
		}
		ended <- nil
	}()
	l.stop = func() {
		t.Helper()
		cancel()
		err := <-ended
		if err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func carga(n int) map[string]any {
	return harness.Registro(fmt.Sprintf("C-%d", n), harness.CurpDos, harness.Day(-1))
}

// wantRegistros sends again what was acknowledged; nothing of it may be new.
func wantRegistros(t *testing.T, i *harness.Institucion, count int) {
	t.Helper()
	batch := make([]any, count)
	for n := range batch {
		batch[n] = carga(n)
	}
	var result struct {
		SinCambios int `json:"sin_cambios"`
	}
	var answer harness.Answer
	harness.Eventually(t, "the gateway's finding the services again", func() bool {
		answer = i.Post(t, "/cliente/registros/lote", batch)
		return answer.Status != http.StatusServiceUnavailable
	})
	answer.Want(t, http.StatusOK).Into(t, &result)
	if result.SinCambios != count {
		t.Errorf("%d of %d records that were acknowledged before the backup are there", result.SinCambios, count)
	}
}

// loseDatabases ends both services and puts empty databases in the place of theirs.
func loseDatabases(t *testing.T) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), system.AdminURL(stack.Postgres, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	for _, service := range services {
		err = system.Kill(service)
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range []string{
			"DROP DATABASE " + service + " WITH (FORCE)",
			"CREATE DATABASE " + service + " OWNER " + service + "_duenio",
			"GRANT CONNECT, TEMPORARY ON DATABASE " + service + " TO " + service + "_app",
		} {
			_, err = conn.Exec(t.Context(), statement)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// script runs one of the operator's scripts.
func script(t *testing.T, name, argument string, addressOf func(service string) string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "..", "deploy", "backup", name))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, argument)
	cmd.Env = append(os.Environ(),
		"DATABASE_URL_REGISTROS="+addressOf(stack.Registros), "DATABASE_URL_INTEGRACION="+addressOf(stack.Integracion))
	var problems strings.Builder
	cmd.Stderr = &problems
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, problems.String())
	}
	return string(output)
}
