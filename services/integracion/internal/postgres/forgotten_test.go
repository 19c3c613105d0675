package postgres

import (
	"slices"
	"testing"
)

// Whatever job was lost, an active Reporte and a received event are taken up again.
func TestStore_EnqueueForgotten(t *testing.T) {
	t.Parallel()
	store, asked := newStore(t)
	active, err := store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
	if err != nil {
		t.Fatal(err)
	}
	before := asked.len()
	err = store.EnqueueForgotten(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again := asked.filas[before:]; !slices.Contains(again, active.Fila) {
		t.Errorf("asked for %v, want the active reporte %s", again, active.Fila)
	}
}
