package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// listas are both lists of the first institution.
func (b bundle) listas(t *testing.T) ([]registros.Caso, []registros.Coincidencia) {
	t.Helper()
	casos := collect(t, func(ctx context.Context, yield func([]registros.Caso) error) error {
		return b.store.EachCasos(ctx, empresaUno, "", yield)
	})
	coincidencias := collect(t, func(ctx context.Context, yield func([]registros.Coincidencia) error) error {
		return b.store.EachCoincidencias(ctx, empresaUno, "", yield)
	})
	return casos, coincidencias
}

func (b bundle) revision(t *testing.T) string {
	t.Helper()
	revision, err := b.store.Revision(t.Context(), empresaUno)
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

// personal tells how many rows still hold what a person would be known by.
func (b bundle) personal(t *testing.T) int {
	t.Helper()
	return b.count(t, `casos WHERE persona::text ILIKE '%nombre%' OR curp = $1 OR fecha_desaparicion IS NOT NULL`, curpUno) +
		b.count(t, `coincidencias WHERE datos::text ILIKE '%nombre%' OR curp = $1 OR folio <> '' OR tipo_evento <> ''`, curpUno)
}

// purgeCasos runs the sweep of the Casos to its end and tells how many were done.
func (b bundle) purgeCasos(t *testing.T, retention time.Duration) int {
	t.Helper()
	for total := 0; ; {
		purged, last, err := b.store.PurgeCasos(t.Context(), retention)
		if err != nil {
			t.Fatal(err)
		}
		total += purged
		if last {
			return total
		}
	}
}

// purgeRegistros runs the sweep of the Registros to its end and tells how many were deleted.
func (b bundle) purgeRegistros(t *testing.T) int {
	t.Helper()
	var from int64
	for total := 0; ; {
		next, deleted, last, err := b.store.PurgeRegistros(t.Context(), fecha("2014-06-15"), from)
		if err != nil {
			t.Fatal(err)
		}
		total, from = total+deleted, next
		if last {
			return total
		}
	}
}

func TestStore_PurgeCasos_leavesIDsTimesAndCounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	reporte := newReporte(func(r *registros.Reporte) { r.Persona.PrimerApellido = "NOMBRE" })
	caso := b.open(t, empresaUno, reporte)
	b.step(t, caso, rejected)
	b.told(t, empresaUno, caso)
	err := b.store.CloseCaso(t.Context(), empresaUno, reporteUno, 1, time.Now().Add(-48*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	before := b.revision(t)

	b.purgeCasos(t, 72*time.Hour)
	if b.personal(t) != 3 || b.revision(t) != before {
		t.Fatalf("before its time was over: %d rows are personal, want 3; revision %s → %s", b.personal(t), before, b.revision(t))
	}
	for _, want := range []int{1, 0} { // repeating is harmless
		if purged := b.purgeCasos(t, 24*time.Hour); purged != want {
			t.Fatalf("%d casos purged, want %d", purged, want)
		}
	}
	if n := b.personal(t); n != 0 {
		t.Errorf("%d rows are still personal", n)
	}
	if b.revision(t) == before {
		t.Error("the lists changed and their revision did not")
	}
	casos, coincidencias := b.listas(t)
	c := casos[0]
	if c.ID != caso || c.Reporte.ID != reporteUno || c.Coincidencias != 2 || c.FinalizadaEn.IsZero() || c.CerradoEn.IsZero() || c.Reporte.Persona.CURP != manual.CURPDepurada {
		t.Errorf("caso = %+v", c)
	}
	for _, m := range coincidencias {
		if m.CasoID != caso || m.Registro.Folio != "" || m.Registro.CURP != manual.CURPDepurada || m.DetectadaEn.IsZero() || m.Detalle != "" {
			t.Errorf("coincidencia = %+v", m)
		}
	}
	// The institution's own Registro is another matter, and a new cycle finds it.
	next := b.open(t, empresaUno, newReporte(func(r *registros.Reporte) { r.Ciclo = 2 }))
	if got := b.told(t, empresaUno, next); !slices.Equal(got, []string{"1:A", "2:A", "fin"}) {
		t.Errorf("the next cycle told %v", got)
	}
}

func TestStore_PurgeCasos_leavesOpenOnesAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	b.open(t, empresaUno, newReporte(nil))
	b.purgeCasos(t, 0)
	if n := b.personal(t); n == 0 {
		t.Error("an open caso was emptied")
	}
}

// What somebody is working on is left to the next run, and does not keep this one going.
func TestStore_PurgeCasos_passesOverWhatIsLocked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caso := b.open(t, empresaUno, newReporte(nil))
	err := b.store.CloseCaso(t.Context(), empresaUno, reporteUno, 1, time.Now().Add(-48*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	tx, err := b.admin.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(t.Context(), `SELECT FROM casos WHERE empresa_id = $1 AND id = $2 FOR UPDATE`, string(empresaUno), caso)
	if err != nil {
		t.Fatal(err)
	}
	if purged := b.purgeCasos(t, 24*time.Hour); purged != 0 {
		t.Errorf("%d casos purged while one is locked", purged)
	}
	err = tx.Rollback(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if purged := b.purgeCasos(t, 24*time.Hour); purged != 1 {
		t.Errorf("%d casos purged, want the one that was locked", purged)
	}
}

func TestStore_PurgeCasos_goesOnBeyondOneBatch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const many = 450
	_, err := b.admin.Exec(t.Context(), `
		INSERT INTO casos (empresa_id, id, reporte_id, ciclo, curp, persona, activado_en, continua_desde, corte, estado, cerrado_en)
		SELECT $1, gen_random_uuid(), 'R-' || n, 1, $2, '{}', now(), now(), 1, 'cerrado', now() - interval '1 day'
		FROM generate_series(1, $3::int) n`, string(empresaUno), curpUno, many)
	if err != nil {
		t.Fatal(err)
	}
	b.purgeCasos(t, time.Hour)
	if n := b.count(t, `casos WHERE depurado_en IS NOT NULL AND curp = $1`, manual.CURPDepurada); n != many {
		t.Errorf("%d of %d casos emptied", n, many)
	}
}

func TestStore_PurgeRegistros(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var regs []registros.Registro
	for i := range 4500 { // more than two batches
		regs = append(regs, newRegistro(fmt.Sprintf("old-%04d", i), func(r *registros.Registro) {
			r.CURP, r.FechaEvento = curpDos, fecha("2010-01-01")
		}))
	}
	b.save(t, empresaUno, regs...)
	b.save(t, empresaDos, regs[0])
	b.save(t, empresaUno,
		newRegistro("boundary", func(r *registros.Registro) { r.CURP, r.FechaEvento = curpDos, fecha("2014-06-15") }),
		newRegistro("old but searched for", on("2010-01-01")), newRegistro("newest", on("2010-01-02")))
	b.open(t, empresaUno, newReporte(nil)) // for curpUno

	saved := b.count(t, `registros`)
	if purged := b.purgeRegistros(t); purged != saved-4 {
		t.Errorf("%d of %d registros purged, want all but four", purged, saved)
	}
	if n := b.count(t, `registros`); n != 4 {
		t.Errorf("%d registros left, want the boundary's, two that are searched for, and the other institution's newest", n)
	}
	err := b.store.CloseCaso(t.Context(), empresaUno, reporteUno, 1, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	b.purgeRegistros(t)
	if n := b.count(t, `registros WHERE folio IN ('boundary', 'newest', 'old-0000')`); n != 3 || b.count(t, `registros`) != 3 {
		t.Errorf("%d registros left, want the newest of each person", b.count(t, `registros`))
	}
}
