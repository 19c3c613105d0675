package postgres

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// The numbers are those of the rules in pui.md 3.2. Here are the ones about what the
// platform asks; rule 15 is in resincronizacion_test.go, the rest is registros'.

// brokenQueue cannot take the job that must follow from an activation.
type brokenQueue struct{ *queue }

func (brokenQueue) SyncCasos(context.Context, pgx.Tx, []Sync) error {
	return errors.New("queue is broken")
}

// What is answered with 200 is stored, audited and on its way, or none of it.
func TestRule01_storedAuditedAndEnqueuedOrNothing(t *testing.T) {
	t.Parallel()
	store, q := newStore(t)
	store.queue = brokenQueue{q}
	_, err := store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
	if err == nil {
		t.Fatal("an activation was accepted whose search cannot follow")
	}
	wantAvisos(t, store, empresaA)
	if got := accionesOf(asientos(t, store, empresaA)); len(got) != 1 {
		t.Errorf("bitacora = %v, want only the institution's own", got)
	}

	store.queue = q
	r, err := store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
	must(t, err)
	if q.len() != 1 || q.filas[0] != r.Fila {
		t.Errorf("jobs = %v, want one for %s", q.filas, r.Fila)
	}
	wantAvisos(t, store, empresaA, reportes.AvisoActivacion)
	if got := accionesOf(asientos(t, store, empresaA)); len(got) != 2 || got[1] != bitacora.AccionActivar {
		t.Errorf("bitacora = %v", got)
	}
}

// What waits to be sent is dropped by the deactivation, and nothing new begins; the end of
// the search is not told because of it.
func TestRule10_aDeactivationDropsWhatWaits(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	waiting := anEnvio(empresaA, uuid.NewString())
	decide(t, store, waiting, envio.MasTarde)
	deactivate(t, store, empresaA)
	finish := entregas.Envio{
		EmpresaID: empresaA, Tipo: entregas.EnvioFinalizacion, Clave: reporteID + "/1", ReporteID: reporteID, Ciclo: 1,
	}
	for _, e := range []entregas.Envio{waiting, anEnvio(empresaA, uuid.NewString()), finish} {
		wantBlocked(t, store, e, entregas.ReporteInactivo)
	}
}

func TestRules12And13_theSameAgainWhileActiveAndAfterwards(t *testing.T) {
	t.Parallel()
	store, q := newStore(t)
	activate := func(s reportes.Solicitud) reportes.Reporte {
		t.Helper()
		r, err := store.SaveActivacion(t.Context(), empresaA, s)
		must(t, err)
		return r
	}
	first := activate(solicitud(nil))
	same := activate(solicitud(nil))
	if same != first || q.len() != 2 {
		t.Errorf("the same again gave %+v and %d jobs", same, q.len())
	}
	desaparicion, _ := manual.ParseFecha("2024-05-06")
	completed := activate(solicitud(func(s *reportes.Solicitud) { s.FechaDesaparicion = desaparicion }))
	if completed.Fila != first.Fila || completed.Version != 2 || completed.FechaDesaparicion != desaparicion || q.len() != 3 {
		t.Errorf("completed %+v and %d jobs", completed, q.len())
	}

	deactivate(t, store, empresaA)
	next := activate(solicitud(nil))
	if next.Fila == first.Fila || next.Ciclo != 2 || !next.FechaDesaparicion.IsZero() || q.len() != 5 {
		t.Errorf("next cycle %+v and %d jobs", next, q.len())
	}
	wantAvisos(t, store, empresaA, "activacion", "desactivacion", "activacion", "activacion", "activacion")
	wantAvisos(t, store, empresaB)
}

func TestRule11_anUnknownIDIsDeactivatedLikeAnyOther(t *testing.T) {
	t.Parallel()
	store, q := newStore(t)
	if filas := deactivate(t, store, empresaA); len(filas) != 0 || q.len() != 0 {
		t.Errorf("unknown id: %v and %d jobs", filas, q.len())
	}
	r, err := store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
	must(t, err)
	for range 2 {
		if filas := deactivate(t, store, empresaA); len(filas) != 1 || filas[0] != r.Fila {
			t.Errorf("cycles %v", filas)
		}
	}
	ended, err := store.GetReporte(t.Context(), empresaA, r.Fila)
	if err != nil || ended.Estado != reportes.ReporteDesactivado || ended.Version != 2 || ended.DesactivadoEn.IsZero() || q.len() != 2 {
		t.Errorf("ended %+v, %v and %d jobs", ended, err, q.len())
	}
	lista := wantAvisos(t, store, empresaA, "desactivacion", "desactivacion", "activacion", "desactivacion")
	var curps []string
	for _, aviso := range lista.Avisos {
		curps = append(curps, aviso.CURP)
	}
	if diff := cmp.Diff([]string{curp, curp, curp, ""}, curps); diff != "" {
		t.Errorf("CURPs (-want +got):\n%s", diff)
	}
}
