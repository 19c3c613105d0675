package postgres_test

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// sweep takes a sweep's batches one after the other and tells how many there were.
func sweep(t *testing.T, batch func(context.Context, postgres.CasoKey) (postgres.CasoKey, bool, error)) int {
	t.Helper()
	var from postgres.CasoKey
	for batches := 1; ; batches++ {
		next, last, err := batch(t.Context(), from)
		if err != nil {
			t.Fatal(err)
		}
		if last {
			return batches
		}
		from = next
	}
}

// loseJobs deletes what an operator may delete, or a restored backup lack.
func (b bundle) loseJobs(t *testing.T) {
	t.Helper()
	_, err := b.admin.Exec(t.Context(), `DELETE FROM river_job`)
	if err != nil {
		t.Fatal(err)
	}
}

// openMany opens Casos of as many persons, each with a Registro, and does not search.
func (b bundle) openMany(t *testing.T, empresa tenant.EmpresaID, many int) []registros.CasoID {
	t.Helper()
	casos := make([]registros.CasoID, many)
	regs := make([]registros.Registro, many)
	curpOf := func(i int) string { return "MANY" + strconv.Itoa(10_000_000_000_000+i) }
	for i := range regs {
		regs[i] = newRegistro("M-"+strconv.Itoa(i), func(r *registros.Registro) { r.CURP = curpOf(i) })
	}
	b.save(t, empresa, regs...)
	for i := range casos {
		var err error
		casos[i], err = b.store.OpenCaso(t.Context(), empresa, newReporte(func(r *registros.Reporte) {
			r.ID = strconv.Itoa(i) + "-550e8400-e29b-41d4-a716-446655440000"
			r.Persona.CURP = curpOf(i)
		}))
		if err != nil {
			t.Fatal(err)
		}
	}
	return casos
}

// Searches that lost their jobs are made all the same, across institutions and batches.
func TestStore_SearchForgotten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	casos := b.openMany(t, empresaUno, 45)
	other := b.openMany(t, empresaDos, 1)
	b.loseJobs(t)

	// One to find the institution, three of its own, one of the other's.
	if batches := sweep(t, b.store.SearchForgotten); batches != 5 {
		t.Errorf("%d batches for 46 casos, want 5", batches)
	}
	for i, caso := range casos {
		folio := "M-" + strconv.Itoa(i)
		if got, want := b.told(t, empresaUno, caso), []string{"1:" + folio, "2:" + folio, "fin"}; !slices.Equal(got, want) {
			t.Errorf("caso %d told %v, want %v", i, got, want)
		}
	}
	if got := b.told(t, empresaDos, other[0]); len(got) != 3 {
		t.Errorf("the other institution's told %v", got)
	}
	before := b.revision(t)
	if batches := sweep(t, b.store.SearchForgotten); batches != 1 || b.revision(t) != before {
		t.Errorf("%d batches with nothing due; revision %s → %s", batches, before, b.revision(t))
	}
}

// A search that fails keeps no other one waiting, whoever goes on with them.
func TestStore_oneSearchThatFails(t *testing.T) {
	t.Parallel()
	for name, search := range map[string]func(*testing.T, bundle){
		"swept":          func(t *testing.T, b bundle) { sweep(t, b.store.SearchForgotten) },
		"of the empresa": func(t *testing.T, b bundle) { b.searchEmpresa(t, empresaUno) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			casos := b.openMany(t, empresaUno, 3)
			b.loseJobs(t)
			_, err := b.admin.Exec(t.Context(), `UPDATE casos SET avance = '"unreadable"' WHERE id = $1`, casos[0])
			if err != nil {
				t.Fatal(err)
			}
			search(t, b)
			if due := b.count(t, `casos WHERE buscado_en IS NULL AND id = $1`, casos[0]); due != 1 {
				t.Error("the search that fails is not due any more")
			}
			for _, caso := range casos[1:] {
				if got := b.told(t, empresaUno, caso); len(got) != 3 {
					t.Errorf("behind the one that fails: told %v", got)
				}
			}
		})
	}
}

// A Caso that was searched by a version which knew no buscado_en is looked at once more.
func TestStore_SearchForgotten_mendsWhatAnEarlierVersionOverlooked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("lost", on("2026-06-15")))
	caso := b.open(t, empresaUno, newReporte(withoutDate))
	b.told(t, empresaUno, caso)
	_, err := b.admin.Exec(t.Context(), `DELETE FROM coincidencias WHERE fase = 3`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.admin.Exec(t.Context(), `UPDATE casos SET buscado_en = NULL`)
	if err != nil {
		t.Fatal(err)
	}
	b.save(t, empresaUno, newRegistro("new", on("2026-06-15")))
	if got := b.told(t, empresaUno, caso); !slices.Equal(got, []string{"3:new"}) {
		t.Errorf("before: told %v; what is new must not wait for it", got)
	}
	sweep(t, b.store.SearchForgotten)
	if got := b.told(t, empresaUno, caso); !slices.Equal(got, []string{"3:lost"}) {
		t.Errorf("told %v, want what was overlooked", got)
	}
}

// Deliveries that lost their jobs are asked for again, and only those.
func TestStore_EnqueueForgotten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const many = 220 // more than a batch
	casos := b.openMany(t, empresaUno, many)
	for _, caso := range casos[1:] { // the first one is not searched yet
		b.search(t, empresaUno, caso)
	}
	b.told(t, empresaUno, casos[1]) // nothing is left to tell
	b.told(t, empresaUno, casos[2]) // nor here, but for phase 3
	b.save(t, empresaUno, newRegistro("M-2", func(r *registros.Registro) {
		r.CURP, r.FechaEvento = "MANY10000000000002", fecha("2026-06-15")
	}))
	other := b.openMany(t, empresaDos, 1)
	b.search(t, empresaDos, other[0])
	deliveries := func() int { return b.count(t, `river_job WHERE kind = 'deliver_caso'`) }

	sweep(t, b.store.EnqueueForgotten)
	if n := deliveries(); n != many {
		t.Errorf("%d deliveries, want %d as before: nothing was forgotten", n, many)
	}
	b.loseJobs(t)
	for range 2 {
		// One to find the institution, two of its own, one of the other's.
		if batches := sweep(t, b.store.EnqueueForgotten); batches != 4 {
			t.Errorf("%d batches, want 4", batches)
		}
		// All but the two that have nothing to tell, and the other institution's.
		if n := deliveries(); n != many-2+1 {
			t.Errorf("%d deliveries after they were lost, want %d", n, many-2+1)
		}
	}
	if n := b.count(t, `river_job WHERE kind = 'deliver_caso' AND args->>'caso_id' = ANY ($1)`, []string{casos[0].String(), casos[1].String()}); n != 0 {
		t.Errorf("%d deliveries of casos that have nothing to tell", n)
	}
}
