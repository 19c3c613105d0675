//go:build pgbouncer

package pgbouncer

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// lotes and records are the load of one institution: enough transactions that every server
// connection serves many clients and is replaced meanwhile.
const (
	lotes   = 20
	records = 200
)

func TestPooled_theWholeFlow(t *testing.T) {
	t.Run("three institutions at once", func(t *testing.T) {
		for range 3 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				flow(t, system.NewInstitucion(t))
			})
		}
	})
	refuseErrors(t)
	wantTraffic(t)
}

// flow takes an institution through batches, a report, its matches in all phases, the lists
// with their revisions, an event's key, the operator's commands and the end of the report.
func flow(t *testing.T, i *harness.Institucion) {
	for n := range lotes {
		batch := make([]any, records)
		for r := range batch {
			batch[r] = harness.Registro(fmt.Sprintf("L%d-%d", n, r), harness.CurpDos, harness.Day(-1))
		}
		i.Post(t, "/cliente/registros/lote", batch).Want(t, http.StatusOK)
	}
	i.Post(t, "/cliente/registros", harness.Registro("A-1", harness.CurpUno, harness.Day(-3))).Want(t, http.StatusCreated)
	id := harness.ReporteID(1)
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(id), harness.Fin) })
	i.Post(t, "/cliente/registros", harness.Registro("A-2", harness.CurpUno, harness.Day(0))).Want(t, http.StatusCreated)
	want := []string{"1:", "2:" + harness.Day(-3), harness.Fin, "3:" + harness.Day(0)}
	harness.Eventually(t, "the notification of phase 3", func() bool { return slices.Equal(i.Told(id), want) })

	for _, path := range []string{"/cliente/casos", "/cliente/coincidencias", "/cliente/reportes"} {
		harness.Eventually(t, "an unchanged "+path, func() bool { return unchanged(t, i, path) })
	}
	operate(t, i)
	i.Deactivate(t, id)
	harness.Eventually(t, "the closing of the caso", func() bool { return i.Casos(t)[0].Estado == "cerrado" })
}

// unchanged asks for a list twice, the second time with the first one's ETag.
func unchanged(t *testing.T, i *harness.Institucion, path string) bool {
	tag := i.Get(t, path).Want(t, http.StatusOK).Header.Get("ETag")
	again := harness.Call(t, http.MethodGet, i.BaseURL+path, http.Header{"X-Api-Key": {i.ApiKey}, "If-None-Match": {tag}}, nil)
	return again.Status == http.StatusNotModified
}

func operate(t *testing.T, i *harness.Institucion) {
	var listed struct{ Reportes []any }
	system.Operate(t, "", &listed, "reportes", "listar", "--id-empresa", i.ID)
	if len(listed.Reportes) != 1 {
		t.Errorf("the operator sees %d reportes, want 1", len(listed.Reportes))
	}
	system.Operate(t, "", nil, "bitacora", "listar", "--id-empresa", i.ID)
	system.Operate(t, "", nil, "evidencia", "exportar", "--id-empresa", i.ID)
	system.Operate(t, "", nil, "resincronizar", "--id-empresa", i.ID)
	system.Operate(t, "", nil, "empresas", "suspender", "--id-empresa", i.ID)
	harness.Eventually(t, "the refusal of a suspended institution", func() bool {
		return i.Get(t, "/cliente/casos").Status == http.StatusUnauthorized
	})
	system.Operate(t, "", nil, "empresas", "reanudar", "--id-empresa", i.ID)
	harness.Eventually(t, "the return of the institution", func() bool {
		return i.Get(t, "/cliente/casos").Status == http.StatusOK
	})
}

// A worker that dies leaves its job, and its server connection in the middle of whatever it
// was; the pooler that dies takes every connection along.
func TestPooled_crashes(t *testing.T) {
	for _, victim := range []string{stack.Registros, stack.Integracion, stack.Pgbouncer, stack.Postgres} {
		t.Run(victim, func(t *testing.T) {
			i := system.NewInstitucion(t)
			id := harness.ReporteID(2)
			i.Plataforma.Fail(simuladortest.Falla{
				InstitucionID: i.ID, Ruta: simuladortest.RutaNotificarCoincidencia, Tipo: simuladortest.FallaLentitud, EsperaMs: 300,
			})
			for n := range 10 {
				i.Post(t, "/cliente/registros", harness.Registro(fmt.Sprintf("A-%d", n), harness.CurpUno, harness.Day(-n))).Want(t, http.StatusCreated)
			}
			i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-20)})
			harness.Eventually(t, "the first notification", func() bool { return len(i.Told(id)) > 0 })
			err := system.Kill(victim)
			if err != nil {
				t.Fatal(err)
			}
			err = system.Restart(t.Context(), victim)
			if err != nil {
				t.Fatal(err)
			}
			i.Plataforma.ClearFaults()
			harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(id), harness.Fin) })
			for n := range 10 {
				if step := "2:" + harness.Day(-n); !slices.Contains(i.Told(id), step) {
					t.Errorf("the platform was told %v, without %s", i.Told(id), step)
				}
			}
			harness.Eventually(t, "a write", func() bool {
				return i.Post(t, "/cliente/registros", harness.Registro("B", harness.CurpDos, harness.Day(0))).Status < 300
			})
		})
	}
}
