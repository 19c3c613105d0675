package postgres

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// personal tells how many rows still hold what a person would be known by.
func personal(t *testing.T, store *Store) int {
	t.Helper()
	var n int
	must(t, store.db.AcrossEmpresas(t.Context(), func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `
			SELECT (SELECT count(*) FROM reportes WHERE curp = $1 OR persona <> '{}' OR fecha_desaparicion IS NOT NULL)
				+ (SELECT count(*) FROM avisos WHERE curp = $1)
				+ (SELECT count(*) FROM envios WHERE detalle IS NOT NULL)`, curp).Scan(&n)
	}))
	return n
}

func TestStore_PurgeReportes_leavesIDsTimesAndHashes(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	_, err := store.SaveActivacion(t.Context(), empresaA, solicitud(func(s *reportes.Solicitud) { s.Persona.Nombre = "NOMBRE" }))
	must(t, err)
	must(t, store.SavePrueba(t.Context(), empresaA, solicitud(func(s *reportes.Solicitud) { s.ReporteID = idNumber(9) })))
	decide(t, store, anEnvio(empresaA, uuid.NewString()), envio.Rechazado)
	purge(t, store, 0)
	if n := personal(t, store); n != 4 {
		t.Fatalf("%d rows are personal while the reporte is active, want 4 (the test's aviso is not)", n)
	}
	_, err = store.SaveDesactivacion(t.Context(), empresaA, reporteID)
	must(t, err)
	purge(t, store, time.Hour)
	if n := personal(t, store); n != 5 {
		t.Fatalf("%d rows are personal before their time is over, want 5", n)
	}
	before, err := store.ListAvisos(t.Context(), empresaA, "")
	must(t, err)

	if d := purge(t, store, 0); d.Reportes != 1 || d.Avisos == 0 {
		t.Errorf("purged %+v, want the reporte and its avisos", d)
	}
	if d := purge(t, store, 0); d != (purgados{}) { // repeating is harmless
		t.Errorf("purged %+v again", d)
	}
	if n := personal(t, store); n != 0 {
		t.Errorf("%d rows are still personal", n)
	}
	after, err := store.ListAvisos(t.Context(), empresaA, "")
	must(t, err)
	if after.Revision == before.Revision || len(after.Avisos) != len(before.Avisos) {
		t.Errorf("revision %s → %s, %d avisos → %d", before.Revision, after.Revision, len(before.Avisos), len(after.Avisos))
	}
	for i, a := range after.Avisos {
		if a.CURP != manual.CURPDepurada || a.ID != before.Avisos[i].ID || a.ReporteID != before.Avisos[i].ReporteID {
			t.Errorf("aviso = %+v", a)
		}
	}
	seguidos, err := store.ListSeguidos(t.Context(), empresaA, reporteID)
	must(t, err)
	if huella := huellas.Huella("curp", curp); !slices.Equal(seguidos[0].HuellaCURP, huella) || seguidos[0].DesactivadoEn.IsZero() {
		t.Errorf("reporte = %+v", seguidos[0])
	}
	all := asientos(t, store, empresaA)
	if n := len(slices.DeleteFunc(accionesOf(all), func(a string) bool { return a != bitacora.AccionDepurar })); n != 1 {
		t.Errorf("%d entries prove the removal, want 1", n)
	}

	// The platform may still activate the id again, and then nothing is missing.
	again, err := store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
	must(t, err)
	if again.Ciclo != 2 || again.Persona.CURP != curp {
		t.Errorf("the next cycle = %+v", again)
	}
}

func TestStore_PurgeReportes_sparesTheAvisosOfAnActiveCycle(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	_, err := store.SaveDesactivacion(t.Context(), empresaA, reporteID)
	must(t, err)
	_, err = store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
	must(t, err)
	purge(t, store, 0)
	lista, err := store.ListAvisos(t.Context(), empresaA, "")
	must(t, err)
	for _, a := range lista.Avisos {
		if a.CURP != curp {
			t.Errorf("aviso = %+v, while the search goes on", a)
		}
	}
}

// The Avisos of long searches are passed over, a batch at a time, and what is due behind
// them is found.
func TestStore_PurgeAvisos_goesOnBehindWhatStays(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	for range purgeBatch {
		_, err := store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
		must(t, err)
	}
	must(t, store.SavePrueba(t.Context(), empresaA, solicitud(func(s *reportes.Solicitud) { s.ReporteID = idNumber(9) })))
	purged, next, last, err := store.PurgeAvisos(t.Context(), AvisoKey{}, 0)
	must(t, err)
	if purged != 0 || last || next.RecibidoEn.IsZero() {
		t.Errorf("the first batch: %d purged, last %v, came to %+v", purged, last, next)
	}
	purged, _, last, err = store.PurgeAvisos(t.Context(), next, 0)
	must(t, err)
	if purged != 1 || !last {
		t.Errorf("the second batch: %d purged, last %v", purged, last)
	}
}

// purgados counts what was emptied.
type purgados struct{ Reportes, Avisos int }

func purge(t *testing.T, store *Store, retention time.Duration) purgados {
	t.Helper()
	var d purgados
	for last := false; !last; {
		var purged int
		var err error
		purged, last, err = store.PurgeReportes(t.Context(), retention)
		must(t, err)
		d.Reportes += purged
	}
	var from AvisoKey
	for last := false; !last; {
		var purged int
		var err error
		purged, from, last, err = store.PurgeAvisos(t.Context(), from, retention)
		must(t, err)
		d.Avisos += purged
	}
	return d
}

// What the platform said of a message may repeat the message, and goes with a person's records.
func TestStore_ForgetDetalles(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	huella := huellas.Huella("curp", curp)
	decide(t, store, anEnvio(empresaA, uuid.NewString()), envio.Rechazado)
	before := personal(t, store)
	must(t, store.ForgetDetalles(t.Context(), empresaA, []byte("somebody else's"), []string{"another"}))
	must(t, store.ForgetDetalles(t.Context(), empresaB, huella, nil))
	if n := personal(t, store); n != before {
		t.Errorf("%d rows are personal, want %d: somebody else's were emptied", n, before)
	}
	must(t, store.ForgetDetalles(t.Context(), empresaA, huella, nil))
	if n := personal(t, store); n != before-1 {
		t.Errorf("%d rows are personal, want %d", n, before-1)
	}
}

// What was told of a record while it was somebody else's is found by the matches, and that
// person's other ones stay.
func TestStore_ForgetDetalles_ofWhatWasSomebodyElses(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	moved := anEnvio(empresaA, uuid.NewString())
	decide(t, store, moved, envio.Rechazado)
	decide(t, store, anEnvio(empresaA, uuid.NewString()), envio.Rechazado)
	before := personal(t, store)
	must(t, store.ForgetDetalles(t.Context(), empresaB, nil, []string{moved.Clave}))
	if n := personal(t, store); n != before {
		t.Errorf("%d rows are personal, want %d: another institution's were emptied", n, before)
	}
	must(t, store.ForgetDetalles(t.Context(), empresaA, nil, []string{moved.Clave}))
	if n := personal(t, store); n != before-1 {
		t.Errorf("%d rows are personal, want %d", n, before-1)
	}
}
