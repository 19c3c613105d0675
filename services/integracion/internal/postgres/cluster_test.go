//go:build citus

package postgres

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// spread are the tables that lie on the workers. Which statement of an institution goes to which
// of them is in plan_test.go, where every one goes to one worker.
var spread = []string{"avisos", "bitacora", "bitacora_por_sellar", "bitacora_sellos", "envio_intentos", "envios", "eventos", "reportes", "reportes_sin_abrir", "revisiones"}

// What runs often for an institution runs while workers are away on which it has nothing.
func TestPlans_withoutOtherWorkers(t *testing.T) {
	db, database := pgtest.Open(t, Migrations)
	database.LoseOthers(t, empresaA)
	for _, often := range whatRunsOften() {
		if often.args[0] == string(empresaA) {
			t.Run(often.name, func(t *testing.T) { pgtest.WantWithoutOthers(t, db, empresaA, often.statement, often.args...) })
		}
	}
}

// rowsOf reads all that an institution has, as a hash for each table.
func rowsOf(t *testing.T, store *Store, empresa tenant.EmpresaID) map[string]string {
	t.Helper()
	rows := map[string]string{}
	must(t, store.db.InEmpresa(t.Context(), empresa, func(tx pgx.Tx) error {
		for _, table := range spread {
			var hash string
			must(t, tx.QueryRow(t.Context(), `SELECT coalesce(md5(string_agg(x::text, ',' ORDER BY x::text)), '') FROM `+table+` x WHERE empresa_id = $1`,
				string(empresa)).Scan(&hash))
			rows[table] = hash
		}
		return nil
	}))
	return rows
}

// Everything goes back to one server and out again while an institution is written for: what was
// there stays as it was, what is acknowledged meanwhile is there afterwards, and no other
// institution sees it.
func TestGather(t *testing.T) {
	store, _, database := newStoreIn(t)
	fill(t, store, empresaA)
	seal(t, store, empresaA)
	must(t, store.RecordAsiento(t.Context(), bitacora.Asiento{EmpresaID: empresaA, Tipo: bitacora.AsientoCambio, Accion: "sin_sellar"}))
	e := newEvento("e-1", "x")
	accept(t, store, e, true, e)
	before := rowsOf(t, store, empresaA)
	for table, hash := range before {
		if hash == "" {
			t.Fatalf("%s has no rows to go", table)
		}
	}
	stop := keepActivating(t, store)
	pgtest.ThereAndBack(t, database, Migrations, len(spread), func(step string) {
		if after := rowsOf(t, store, empresaA); !maps.Equal(after, before) {
			t.Errorf("%s: %v, want %v", step, after, before)
		}
		for table, hash := range rowsOf(t, store, "LAB030303EF3") {
			if hash != "" {
				t.Errorf("%s: another institution sees rows of %s", step, table)
			}
		}
	})
	acknowledged := stop()
	seguidos, err := store.ListSeguidos(t.Context(), empresaB, "")
	must(t, err)
	if len(seguidos) != acknowledged || acknowledged == 0 {
		t.Errorf("%d reportes, of %d acknowledged", len(seguidos), acknowledged)
	}
	_, chained, err := chain(t, store, empresaB, bitacora.Periodo{})
	must(t, err)
	wantWhole(t, chained, asientos(t, store, empresaB))
}

// keepActivating has the platform activate one Reporte after the other, at several callers, until
// the function is called, which tells how many were acknowledged.
func keepActivating(t *testing.T, store *Store) (stop func() int) {
	t.Helper()
	const callers = 3
	var stopped atomic.Bool
	var acknowledged atomic.Int64
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			for n := 0; !stopped.Load(); n++ {
				_, err := store.SaveActivacion(t.Context(), empresaB, solicitud(func(s *reportes.Solicitud) {
					s.ReporteID = fmt.Sprintf("%018d%018d", caller, n)
				}))
				if err != nil {
					t.Error(err)
					return
				}
				acknowledged.Add(1)
			}
		})
	}
	return func() int {
		stopped.Store(true)
		group.Wait()
		return int(acknowledged.Load())
	}
}
