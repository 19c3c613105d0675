package postgres_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// finishCarga ends a load and gives when that was.
func (b bundle) finishCarga(t *testing.T, empresa tenant.EmpresaID) time.Time {
	t.Helper()
	terminada, err := b.store.FinishCarga(t.Context(), empresa)
	if err != nil {
		t.Fatal(err)
	}
	return terminada
}

// searchEmpresa does what the job does, and reports how many steps it took.
func (b bundle) searchEmpresa(t *testing.T, empresa tenant.EmpresaID) int {
	t.Helper()
	var from registros.CasoID
	for steps := 1; ; steps++ {
		next, last, err := b.store.SearchEmpresa(t.Context(), empresa, from)
		if err != nil {
			t.Fatal(err)
		}
		if last {
			return steps
		}
		from = next
	}
}

// While an institution is loading nothing is searched, found or told, whatever looks at its Casos.
// The end of the load has all searched that was written before it.
func TestStore_FinishCarga(t *testing.T) {
	t.Parallel()
	b := setupLoading(t)
	caso := b.open(t, empresaUno, newReporte(nil))
	closed := b.open(t, empresaUno, newReporte(func(r *registros.Reporte) { r.ID, r.Persona.CURP = "X-"+reporteUno, curpDos }))
	other := b.open(t, empresaDos, newReporte(nil))
	for _, empresa := range []tenant.EmpresaID{empresaUno, empresaDos} {
		guardado := b.save(t, empresa, newRegistro("A", nil), newRegistro("B", on("2026-06-15")))
		if guardado.Creados != 2 || guardado.Coincidencias != 0 {
			t.Errorf("a batch of a loading institution gave %+v", guardado)
		}
	}
	b.open(t, empresaUno, newReporte(func(r *registros.Reporte) { r.FechaDesaparicion = fecha("2026-05-01") }))
	err := b.store.CloseCaso(t.Context(), empresaUno, "X-"+reporteUno, 1, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	sweep(t, b.store.SearchForgotten)
	sweep(t, b.store.EnqueueForgotten)
	b.searchEmpresa(t, empresaUno)
	if got := b.told(t, empresaUno, caso); len(got) > 0 {
		t.Errorf("a loading institution told %v", got)
	}
	if n := b.count(t, `river_job WHERE kind = 'deliver_caso'`); n > 0 {
		t.Errorf("%d deliveries of loading institutions", n)
	}

	before := b.finishCarga(t, empresaUno)
	if again := b.finishCarga(t, empresaUno); before.IsZero() || !again.Equal(before) {
		t.Errorf("finished at %s, the second time at %s", before, again)
	}
	if n := b.count(t, `river_job WHERE kind = 'search_empresa'`); n != 1 {
		t.Errorf("%d jobs for one end of a load", n)
	}
	b.save(t, empresaUno, newRegistro("C", on("2026-06-14")))
	if got := b.told(t, empresaUno, caso); len(got) > 0 {
		t.Errorf("told %v before the search", got)
	}
	b.searchEmpresa(t, empresaUno)
	if got, want := b.told(t, empresaUno, caso), []string{"1:B", "2:A", "2:B", "fin", "3:C"}; !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	for empresa, silent := range map[tenant.EmpresaID]registros.CasoID{empresaUno: closed, empresaDos: other} {
		if got := b.told(t, empresa, silent); len(got) > 0 {
			t.Errorf("%s told %v", empresa, got)
		}
	}
	terminada, err := b.store.GetCarga(t.Context(), empresaDos)
	if err != nil || !terminada.IsZero() {
		t.Errorf("the other institution finished at %s, %v", terminada, err)
	}
}

// The end of a load loses no Caso if its job is lost, nor if it stops after any step.
func TestStore_FinishCarga_whatIsCutShortGoesOn(t *testing.T) {
	t.Parallel()
	for name, goOn := range map[string]func(*testing.T, bundle){
		"begun again": func(t *testing.T, b bundle) { b.searchEmpresa(t, empresaUno) },
		"swept":       func(t *testing.T, b bundle) { sweep(t, b.store.SearchForgotten) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setupLoading(t)
			casos := b.openMany(t, empresaUno, 45)
			b.save(t, empresaUno, newRegistro("late", func(r *registros.Registro) { r.CURP = "MANY10000000000044" }))
			b.finishCarga(t, empresaUno)
			_, last, err := b.store.SearchEmpresa(t.Context(), empresaUno, uuid.Nil)
			if err != nil || last {
				t.Fatalf("the first step was the last one: %t, %v", last, err)
			}
			goOn(t, b)
			for i, caso := range casos {
				folio := fmt.Sprintf("M-%d", i)
				want := []string{"1:" + folio, "2:" + folio, "fin"}
				if i == len(casos)-1 {
					want = []string{"1:late", "2:" + folio, "2:late", "fin"}
				}
				if got := b.told(t, empresaUno, caso); !slices.Equal(got, want) {
					t.Errorf("caso %d told %v, want %v", i, got, want)
				}
			}
			if n := b.count(t, `busquedas`); n != 2*len(casos) {
				t.Errorf("%d searches of %d casos, want two phases each", n, len(casos))
			}
		})
	}
}

// loadRounds is how many loads end while Registros are written and Casos opened.
func loadRounds() int {
	if testing.Short() {
		return 60
	}
	return 600
}

// Whichever of the writes, the opening and the end of the load comes first, each event is told
// once. Without the lock of the end (drawCorte) some are overlooked within a few rounds.
func TestStore_aRegistroAnOpeningAndTheEndOfALoadMeetExactlyOnce(t *testing.T) {
	t.Parallel()
	b := setupLoading(t)
	rounds := loadRounds()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for n := int(next.Add(1)); n <= rounds && !t.Failed(); n = int(next.Add(1)) {
				b.raceLoad(t, n)
			}
		})
	}
	workers.Wait()
	wrong := b.count(t, `(
		SELECT r.empresa_id, r.folio, count(m.id) AS told
		FROM registros r LEFT JOIN coincidencias m ON m.empresa_id = r.empresa_id AND m.folio = r.folio AND m.fase <> 1
		GROUP BY 1, 2) e WHERE told <> 1`)
	if total := b.count(t, `registros`); wrong > 0 || total != rounds*4 {
		t.Errorf("%d of %d events were not told exactly once", wrong, total)
	}
}

// raceLoad lets a new institution write, open its Caso and end its load at the same time.
func (b bundle) raceLoad(t *testing.T, n int) {
	empresa := tenant.EmpresaID(fmt.Sprintf("LAB%06dAB1", n))
	write := func(folios ...string) error {
		regs := make([]registros.Registro, len(folios))
		for i, folio := range folios {
			regs[i] = newRegistro(folio, nil)
		}
		_, err := b.store.SaveLote(t.Context(), empresa, registros.LoteRecibido{}, validos(regs...))
		return err
	}
	steps := []func() error{
		func() error { return write("A", "B") },
		func() error { return write("C", "D") },
		func() error {
			_, err := b.store.OpenCaso(t.Context(), empresa, newReporte(nil))
			return err
		},
		func() error {
			_, err := b.store.FinishCarga(t.Context(), empresa)
			return err
		},
	}
	var all sync.WaitGroup
	for i := range steps {
		step := steps[(i+n)%len(steps)]
		all.Go(func() {
			err := step()
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	b.searchEmpresa(t, empresa)
}

// What was loaded too late is told by another search, and nothing twice: neither what phase 3 told
// of it, nor phase 1, nor the end.
func TestStore_SearchAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caso := b.open(t, empresaUno, newReporte(nil))
	b.told(t, empresaUno, caso)
	b.save(t, empresaUno, newRegistro("A", nil))
	_, err := b.admin.Exec(t.Context(), `DELETE FROM coincidencias`) // as if nobody had told it
	if err != nil {
		t.Fatal(err)
	}
	b.save(t, empresaUno, newRegistro("B", nil))
	b.told(t, empresaUno, caso)
	for _, want := range [][]string{{"1:B", "2:A"}, nil} {
		err = b.store.SearchAgain(t.Context(), empresaUno, reporteUno, 1)
		if err != nil {
			t.Fatal(err)
		}
		b.search(t, empresaUno, caso)
		if got := b.told(t, empresaUno, caso); !slices.Equal(got, want) {
			t.Errorf("told %v, want %v", got, want)
		}
	}
	if n := b.count(t, `river_job WHERE kind = 'search_caso'`); n != 2 {
		t.Errorf("%d searches enqueued, want 2", n)
	}
}

func TestStore_SearchAgain_refuses(t *testing.T) {
	t.Parallel()
	b := setupLoading(t)
	b.open(t, empresaUno, newReporte(nil))
	want := func(motivo errores.Motivo, err error) {
		t.Helper()
		if !errs.Is(err, motivo) {
			t.Errorf("got %v, want %s", err, errores.Codigo(motivo))
		}
	}
	want(errores.Conflicto, b.store.SearchAgain(t.Context(), empresaUno, reporteUno, 1))
	want(errores.Conflicto, b.store.SearchAllAgain(t.Context(), empresaUno))
	b.finishCarga(t, empresaUno)
	want(errores.NoEncontrado, b.store.SearchAgain(t.Context(), empresaUno, reporteUno, 2))
	want(errores.Conflicto, b.store.SearchAgain(t.Context(), empresaDos, reporteUno, 1)) // it is loading
	b.finishCarga(t, empresaDos)
	want(errores.NoEncontrado, b.store.SearchAgain(t.Context(), empresaDos, reporteUno, 1))
	err := b.store.CloseCaso(t.Context(), empresaUno, reporteUno, 1, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	want(errores.Conflicto, b.store.SearchAgain(t.Context(), empresaUno, reporteUno, 1))
}

// All are searched once more, in steps, also if it stops in between.
func TestStore_SearchAllAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	casos := b.openMany(t, empresaUno, 45)
	for _, caso := range casos {
		b.search(t, empresaUno, caso)
		b.told(t, empresaUno, caso)
	}
	err := b.store.SearchAllAgain(t.Context(), empresaUno)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = b.store.SearchEmpresa(t.Context(), empresaUno, uuid.Nil)
	if err != nil {
		t.Fatal(err)
	}
	if steps := b.searchEmpresa(t, empresaUno); steps != 2 {
		t.Errorf("%d steps for the other 25 casos, want 2", steps)
	}
	for i, caso := range casos {
		if got := b.told(t, empresaUno, caso); len(got) > 0 {
			t.Errorf("caso %d told %v again", i, got)
		}
	}
	if n := b.count(t, `busquedas`); n != 4*len(casos) {
		t.Errorf("%d searches, want %d: two phases, twice", n, 4*len(casos))
	}
}
