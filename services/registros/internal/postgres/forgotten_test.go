package postgres_test

import (
	"testing"
)

// Work that lost its job is asked for again, and only that work.
func TestStore_EnqueueForgotten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	_, err := b.store.OpenCaso(t.Context(), empresaUno, newReporte(nil)) // to be searched
	if err != nil {
		t.Fatal(err)
	}
	b.open(t, empresaDos, newReporte(nil)) // to be delivered
	for range 2 {
		err = b.store.EnqueueForgotten(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// One search and one delivery are due; the search of the other Caso is over.
		if n := b.count(t, `river_job WHERE kind = 'search_caso' AND args->>'empresa_id' = $1`, string(empresaUno)); n != 1 {
			t.Errorf("%d searches enqueued, want 1", n)
		}
		if n := b.count(t, `river_job WHERE kind = 'deliver_caso'`); n != 1 {
			t.Errorf("%d deliveries enqueued, want 1", n)
		}
		_, err = b.admin.Exec(t.Context(), `DELETE FROM river_job`)
		if err != nil {
			t.Fatal(err)
		}
	}
	err = b.store.EnqueueForgotten(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := b.count(t, `river_job`); n != 2 {
		t.Errorf("%d jobs after they were lost, want the search and the delivery", n)
	}
}
