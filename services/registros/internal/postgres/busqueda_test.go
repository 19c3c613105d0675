package postgres_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

const (
	// crowded is how many Registros the person of these tests has, half of them of one day.
	crowded = 20_000
	// portion is what one transaction may look at or open.
	portion = 500
	// portionBytes is what one transaction may allocate, with the race detector's share.
	portionBytes = 8 << 20
)

// saveCrowd gives the first person very many Registros; those that arrive later have less.
func (b bundle) saveCrowd(t *testing.T) {
	t.Helper()
	_, err := b.admin.Exec(t.Context(), `
		INSERT INTO registros (empresa_id, folio, curp, tipo_evento, fecha_evento, datos, huella)
		SELECT $1, 'F-' || n, $2, 'Toma de muestra', DATE '2026-06-14' - greatest(0, n - $3 / 2) % 1000,
			jsonb_build_object('nombre', 'NOMBRE ' || n, 'domicilio', jsonb_build_object('direccion', repeat('CALLE ', 60)))
				|| CASE WHEN n = 5 THEN '{"correo": "a@example.com"}'::jsonb ELSE '{}' END,
			sha256(n::text::bytea)
		FROM generate_series(1, $3::int) n`, string(empresaUno), curpUno, crowded)
	if err != nil {
		t.Fatal(err)
	}
}

// A search holds a portion of a person's Registros at a time, in memory and in a transaction,
// goes on from there, and comes to the same as one that reads all at once. It does not run
// beside other tests, whose memory would be counted with it.
func TestStore_SearchCaso_inPortions(t *testing.T) { //nolint:paralleltest // it measures memory
	b := setup(t)
	b.saveCrowd(t)
	missing := newReporte(func(r *registros.Reporte) { r.FechaDesaparicion = fecha("2020-01-01") })
	caso, err := b.store.OpenCaso(t.Context(), empresaUno, missing)
	if err != nil {
		t.Fatal(err)
	}
	transactions, before := 0, 0
	for left := true; left; transactions++ {
		allocated := measureAllocations(func() { left, err = b.store.SearchCaso(t.Context(), empresaUno, caso) })
		if err != nil {
			t.Fatal(err)
		}
		if allocated > portionBytes {
			t.Errorf("transaction %d allocated %d bytes", transactions, allocated)
		}
		opened := b.count(t, `casos c, generate_series(1, c.coincidencias)`)
		if opened-before > portion+1 { // one of phase 1
			t.Errorf("transaction %d opened %d coincidencias", transactions, opened-before)
		}
		before = opened
		if transactions == 60 { // one that phase 2 has not come to yet
			b.save(t, empresaUno, newRegistro("F-5000", func(r *registros.Registro) { r.Nombre = "OTRO" }))
			before++
		}
	}
	if want := 2 * crowded / portion; transactions < want {
		t.Errorf("%d transactions, want at least %d", transactions, want)
	}
	if n := b.count(t, `coincidencias WHERE fase = 1 AND folio = 'F-20000' AND datos->>'nombre' = 'NOMBRE 20000' AND datos->>'correo' = 'a@example.com'`); n != 1 {
		t.Error("phase 1 did not tell the newest value of each field")
	}
	if two, three := b.count(t, `coincidencias WHERE fase = 2`), b.count(t, `coincidencias WHERE fase = 3`); two != crowded-1 || three != 1 {
		t.Errorf("%d told in phase 2 and %d in phase 3, want all in the first but the one that changed meanwhile", two, three)
	}
	if n := b.count(t, `casos WHERE coincidencias = $1 AND avance IS NULL`, crowded+1); n != 1 {
		t.Error("the caso's count is not that of its coincidencias")
	}
	if n := b.count(t, `busquedas WHERE fase = 1 AND registros = $1 OR fase = 2 AND registros = $1 AND coincidencias = $1 - 1`, crowded); n != 2 {
		t.Errorf("%d searches noted with their counts, want 2", n)
	}
	b.closeCrowd(t, caso)
}

// measureAllocations tells how many bytes fn allocates.
func measureAllocations(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// closeCrowd closes a Caso with very much pending, and purges it: both a portion a transaction.
func (b bundle) closeCrowd(t *testing.T, caso registros.CasoID) {
	t.Helper()
	revisions := func() int {
		return b.count(t, `revisiones r, generate_series(1, r.revision) WHERE r.empresa_id = $1`, string(empresaUno))
	}
	before := revisions()
	err := b.store.CloseCaso(t.Context(), empresaUno, reporteUno, 1, time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if n := revisions() - before; n < crowded/1000 {
		t.Errorf("%d transactions to cancel %d coincidencias", n, crowded)
	}
	if n := b.count(t, `coincidencias WHERE estado <> 'cancelada'`); n != 0 {
		t.Errorf("%d coincidencias of a closed caso are not cancelled", n)
	}
	for last := false; !last; {
		_, last, err = b.store.PurgeCasos(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		purged := b.count(t, `coincidencias WHERE fase <> 1 AND curp = $1`, manual.CURPDepurada)
		if n := b.count(t, `casos WHERE depurado_en IS NOT NULL`); n == 1 && purged < crowded {
			t.Fatalf("%d coincidencias purged, and the caso is done", purged)
		}
	}
	if n := b.personal(t); n != 0 {
		t.Errorf("%d rows are still personal", n)
	}
}

// Of a person of whom there is no Registro the search is over when the Caso opens, and what is
// left is to tell the platform so, once it may be told.
func TestStore_OpenCaso_ofAPersonWithoutRegistrosNeedsNoSearch(t *testing.T) {
	t.Parallel()
	for desaparicion, phases := range map[string]int{"": 1, "2026-06-01": 2} {
		b := setup(t)
		from := time.Now().Add(2 * time.Second).UTC().Truncate(time.Microsecond)
		id, err := b.store.OpenCaso(t.Context(), empresaUno, newReporte(func(r *registros.Reporte) {
			r.AvisarDesde = from
			r.FechaDesaparicion, _ = manual.ParseFecha(desaparicion)
		}))
		if err != nil {
			t.Fatal(err)
		}
		if n := b.count(t, `casos WHERE id = $1 AND basicos_en IS NOT NULL AND buscado_en IS NOT NULL
			AND (historica_en IS NOT NULL) = (fecha_desaparicion IS NOT NULL)`, id); n != 1 {
			t.Error("the caso is still to be searched")
		}
		if n := b.count(t, `busquedas WHERE caso_id = $1 AND registros = 0 AND coincidencias = 0`, id); n != phases {
			t.Errorf("%d searches are noted, want %d", n, phases)
		}
		if n := b.count(t, `river_job WHERE kind = 'search_caso'`); n != 0 {
			t.Errorf("%d searches are asked for", n)
		}
		if n := b.count(t, `river_job WHERE kind = 'deliver_caso' AND state = 'available' AND scheduled_at = $1`, jobs.Gathered(from)); n != 1 {
			t.Errorf("the end is not told from %v on", from)
		}
	}
}
