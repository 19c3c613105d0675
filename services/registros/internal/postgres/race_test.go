package postgres_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// A Registro that is written while the Caso of its CURP is being opened must match exactly
// once. Both start together, many times over, on as many persons; afterwards each person
// must have one Coincidencia with an event. Without the advisory lock (lockRegistros,
// lockApertura) the two overlook each other within a few rounds.
func TestStore_aRegistroAndAnOpeningCasoMeetExactlyOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const persons = 300

	for i := range persons {
		curp := fmt.Sprintf("RACE%06dHDFABCA1", i)[:18]
		reporte := newReporte(func(r *registros.Reporte) {
			r.ID = fmt.Sprintf("%06d-550e8400-e29b-41d4-a716-446655440000", i)
			r.Persona.CURP = curp
		})
		registro := newRegistro(fmt.Sprintf("F-%06d", i), func(r *registros.Registro) { r.CURP = curp })

		start := make(chan struct{})
		errs := make([]error, 2)
		var caso registros.CasoID
		var both sync.WaitGroup
		both.Go(func() {
			<-start
			_, errs[0] = b.store.SaveLote(t.Context(), empresaUno, validos(registro))
		})
		both.Go(func() {
			<-start
			caso, errs[1] = b.store.OpenCaso(t.Context(), empresaUno, reporte)
		})
		close(start)
		both.Wait()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
		err := b.store.SearchCaso(t.Context(), empresaUno, caso)
		if err != nil {
			t.Fatal(err)
		}
	}

	if n := b.count(t, `coincidencias WHERE fase <> 1`); n != persons {
		t.Errorf("%d coincidencias with an event for %d persons", n, persons)
	}
}
