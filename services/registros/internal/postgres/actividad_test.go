package postgres_test

import (
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

func TestStore_ListActividades_countsWhatWaits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaDos, newRegistro("A", nil))
	b.save(t, empresaUno, newRegistro("A", nil), newRegistro("B", nil))
	id, err := b.store.OpenCaso(t.Context(), empresaUno, newReporte(nil))
	if err != nil {
		t.Fatal(err)
	}
	b.search(t, empresaUno, id)
	b.step(t, id, rejected)
	err = b.store.FlushActividad(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, err := b.store.ListActividades(t.Context(), "")
	if err != nil || len(all) != 2 {
		t.Fatalf("got %+v, %v", all, err)
	}
	uno, dos := all[0], all[1]
	if uno.Rechazadas != 1 || uno.Pendientes == 0 || uno.PendienteDesde.IsZero() || time.Since(uno.UltimoRegistroEn) > time.Minute {
		t.Errorf("uno: %+v", uno)
	}
	want := registros.Actividad{EmpresaID: empresaDos, UltimoRegistroEn: dos.UltimoRegistroEn, CargaTerminadaEn: dos.CargaTerminadaEn}
	if dos != want || dos.UltimoRegistroEn.IsZero() || dos.CargaTerminadaEn.IsZero() {
		t.Errorf("dos: %+v", dos)
	}
	only, err := b.store.ListActividades(t.Context(), empresaDos)
	if err != nil || len(only) != 1 || only[0] != dos {
		t.Errorf("only dos: %+v, %v", only, err)
	}
	err = b.store.CloseCaso(t.Context(), empresaUno, reporteUno, 1, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	only, err = b.store.ListActividades(t.Context(), empresaUno)
	if err != nil || only[0].Rechazadas != 0 || only[0].Pendientes != 0 {
		t.Errorf("of a closed Caso somebody is needed for %+v, %v", only, err)
	}
}

// What changes nothing is no sign of life, and an earlier note does not replace a later one.
func TestStore_FlushActividad_notesChangesAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	flush := func() time.Time {
		t.Helper()
		err := b.store.FlushActividad(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all, err := b.store.ListActividades(t.Context(), empresaUno)
		if err != nil || len(all) != 1 {
			t.Fatalf("got %+v, %v", all, err)
		}
		return all[0].UltimoRegistroEn
	}
	first := flush()
	b.save(t, empresaUno, newRegistro("A", nil))
	if again := flush(); !again.Equal(first) {
		t.Errorf("the same record again moved the last write from %v to %v", first, again)
	}
	b.save(t, empresaUno, newRegistro("B", nil))
	if later := flush(); !later.After(first) {
		t.Errorf("a new record left the last write at %v", later)
	}
}
