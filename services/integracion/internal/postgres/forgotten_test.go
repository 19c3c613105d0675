package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/jobs"
)

// What ended long ago is told again only when an operator asks for it.
func TestStore_EnqueueReportes(t *testing.T) {
	t.Parallel()
	store, asked := newStore(t)
	for n := range 3 { // active, ended lately, ended long ago
		saveActivo(t, store, n)
	}
	for n := 1; n < 3; n++ {
		_, err := store.SaveDesactivacion(t.Context(), empresaA, idNumber(n))
		must(t, err)
	}
	must(t, store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE reportes SET desactivado_en = now() - interval '30 days' WHERE reporte_id = $1`, idNumber(2))
		return err
	}))
	before := asked.len()
	must(t, store.EnqueueForgottenReportes(t.Context()))
	if got := asked.len() - before; got != 2 {
		t.Errorf("%d told again by the clock, want 2", got)
	}
	before = asked.len()
	count, err := store.EnqueueReportes(t.Context())
	must(t, err)
	if got := asked.len() - before; got != 3 || count != 3 {
		t.Errorf("%d told again for an operator, who is told %d; want 3", got, count)
	}
}

// However often an event is asked for, by its arrival and by sweeps, there is one job: of two
// the slower could overwrite what a newer event of the folio brought.
func TestStore_EnqueueForgottenEventos_neverTwice(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	withEventoKey(t, store)
	client, err := jobs.NewClient(store.db, jobs.Config{})
	must(t, err)
	store.queue = &RiverQueue{Client: client}
	for _, id := range []string{"first", "second"} {
		accept(t, store, newEvento(id, "F", "x"), true)
	}
	must(t, store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE eventos SET recibido_en = recibido_en - interval '1 hour'`)
		return err
	}))
	wantJobs := func(want string) {
		t.Helper()
		var got string
		must(t, store.db.Pool().QueryRow(t.Context(), `
			SELECT string_agg(args->>'evento_id', ' ') FROM river_job WHERE kind = 'process_evento'`).Scan(&got))
		if got != want {
			t.Errorf("jobs for %q, want %q", got, want)
		}
	}
	for range 2 {
		must(t, store.EnqueueForgottenEventos(t.Context()))
	}
	wantJobs("first")
	_, err = store.db.Pool().Exec(t.Context(), `DELETE FROM river_job`)
	must(t, err)
	must(t, store.EnqueueForgottenEventos(t.Context()))
	wantJobs("first")
}
