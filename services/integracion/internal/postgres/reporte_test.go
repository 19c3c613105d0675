package postgres

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

func TestStore_SaveActivacion_keepsWhatWasGiven(t *testing.T) {
	t.Parallel()
	store, q := newStore(t)
	desaparicion, _ := manual.ParseFecha("2024-05-06")
	nacimiento, _ := manual.ParseFecha("1956-04-27")
	s := reportes.Solicitud{
		ReporteID: reporteID, FechaDesaparicion: desaparicion,
		Persona: manual.Persona{
			CURP: curp, Nombre: "NOMBRE", PrimerApellido: "PRIMERO", SegundoApellido: "SEGUNDO",
			FechaNacimiento: nacimiento, LugarNacimiento: "JALISCO", SexoAsignado: "X", Telefono: "5512345678",
			Correo: "a@example.mx", Domicilio: manual.Direccion{
				Direccion: "d", Calle: "c", Numero: "n", Colonia: "o", CodigoPostal: "01234", MunicipioOAlcaldia: "m", EntidadFederativa: "e",
			},
		},
	}
	saved, err := store.SaveActivacion(t.Context(), empresaA, s)
	must(t, err)
	read, err := store.GetReporte(t.Context(), empresaA, saved.Fila)
	must(t, err)
	want := reportes.Reporte{
		Fila: saved.Fila, EmpresaID: empresaA, ReporteID: reporteID, Ciclo: 1, Estado: reportes.ReporteActivo, Version: 1,
		FechaDesaparicion: desaparicion, Persona: s.Persona, ActivadoEn: saved.ActivadoEn,
	}
	if read != want || read.ActivadoEn.IsZero() {
		t.Errorf("read %+v\nwant %+v", read, want)
	}
	if diff := cmp.Diff([]uuid.UUID{saved.Fila}, q.filas); diff != "" {
		t.Errorf("enqueued (-want +got):\n%s", diff)
	}
	_, err = store.GetReporte(t.Context(), empresaB, saved.Fila)
	wantMotivo(t, err, errores.NoEncontrado)
}

// A worker of a cluster that dies as it commits leaves the Reporte of a call that failed, and no
// job: the platform's next try has to ask for it.
func TestStore_SaveActivacion_repeatedAsksForItsCasoAgain(t *testing.T) {
	t.Parallel()
	store, q := newStore(t)
	first, err := store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
	must(t, err)
	again, err := store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
	must(t, err)
	if again != first {
		t.Errorf("the second time it is %+v, before %+v", again, first)
	}
	if diff := cmp.Diff([]uuid.UUID{first.Fila, first.Fila}, q.filas); diff != "" {
		t.Errorf("enqueued (-want +got):\n%s", diff)
	}
}

func TestStore_SaveActivacion_anotherCURPIsAnotherCycle(t *testing.T) {
	t.Parallel()
	store, q := newStore(t)
	first, err := store.SaveActivacion(t.Context(), empresaA, solicitud(func(s *reportes.Solicitud) { s.Persona.Nombre = "NOMBRE" }))
	must(t, err)
	other := solicitud(func(s *reportes.Solicitud) { s.Persona.CURP = "LOXM851203MQTPXR00" })
	second, err := store.SaveActivacion(t.Context(), empresaA, other)
	must(t, err)
	if second.Ciclo != 2 || second.Persona != other.Persona {
		t.Errorf("the second cycle is %+v", second)
	}
	before, err := store.GetReporte(t.Context(), empresaA, first.Fila)
	must(t, err)
	if before.Estado != reportes.ReporteDesactivado || before.Persona != first.Persona {
		t.Errorf("the first cycle is %+v", before)
	}
	if diff := cmp.Diff([]uuid.UUID{first.Fila, first.Fila, second.Fila}, q.filas); diff != "" {
		t.Errorf("enqueued (-want +got):\n%s", diff)
	}
}

func TestStore_SaveActivacion_sameIDElsewhereIsAnotherReporte(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	a, err := store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
	must(t, err)
	b, err := store.SaveActivacion(t.Context(), empresaB, solicitud(nil))
	must(t, err)
	deactivate(t, store, empresaB)
	stillA, err := store.IsActive(t.Context(), empresaA, a.Fila)
	must(t, err)
	stillB, err := store.IsActive(t.Context(), empresaB, b.Fila)
	must(t, err)
	if !stillA || stillB {
		t.Errorf("active at A %v, at B %v; want true, false", stillA, stillB)
	}
}

// TestStore_SaveActivacion_race lets many activations of one id race, over several cycles.
func TestStore_SaveActivacion_race(t *testing.T) {
	t.Parallel()
	store, q := newStore(t)
	const rounds, racers = 10, 8
	for round := range rounds {
		var group sync.WaitGroup
		for range racers {
			group.Go(func() {
				_, err := store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		must(t, store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
			var all, active, ciclo int
			must(t, tx.QueryRow(t.Context(), `
				SELECT count(*), count(*) FILTER (WHERE estado = 'activo'), max(ciclo) FROM reportes`).Scan(&all, &active, &ciclo))
			if all != round+1 || active != 1 || ciclo != round+1 {
				t.Errorf("round %d: %d reportes, %d active, ciclo %d", round, all, active, ciclo)
			}
			return nil
		}))
		deactivate(t, store, empresaA)
	}
	if q.len() != (racers+1)*rounds {
		t.Errorf("%d jobs, want one for each call", q.len())
	}
}

func TestStore_SavePrueba_leavesOnlyAnAviso(t *testing.T) {
	t.Parallel()
	store, q := newStore(t)
	must(t, store.SavePrueba(t.Context(), empresaA, solicitud(nil)))
	wantAvisos(t, store, empresaA, "activacion_prueba")
	must(t, store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
		var n int
		must(t, tx.QueryRow(t.Context(), `SELECT count(*) FROM reportes`).Scan(&n))
		if n != 0 || q.len() != 0 {
			t.Errorf("%d reportes, %d jobs", n, q.len())
		}
		return nil
	}))
}

func deactivate(t *testing.T, store *Store, empresa tenant.EmpresaID) []uuid.UUID {
	t.Helper()
	filas, err := store.SaveDesactivacion(t.Context(), empresa, reporteID)
	must(t, err)
	return filas
}

func wantAvisos(t *testing.T, store *Store, empresa tenant.EmpresaID, want ...reportes.TipoAviso) reportes.ListaAvisos {
	t.Helper()
	lista, err := store.ListAvisos(t.Context(), empresa, "")
	must(t, err)
	var got []reportes.TipoAviso
	for _, aviso := range lista.Avisos {
		got = append(got, aviso.Tipo)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("avisos (-want +got):\n%s", diff)
	}
	return lista
}

// The list goes by the ids of the notices, and thereby by the instants that it shows.
func TestStore_avisosAreReceivedAtTheInstantsOfTheirIDs(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	before := time.Now().Truncate(time.Millisecond)
	for range 5 {
		must(t, store.SavePrueba(t.Context(), empresaA, solicitud(nil)))
	}
	lista := wantAvisos(t, store, empresaA, slices.Repeat([]reportes.TipoAviso{reportes.AvisoActivacionPrueba}, 5)...)
	for _, a := range lista.Avisos {
		if want := time.Unix(a.ID.Time().UnixTime()); !a.RecibidoEn.Equal(want) || want.Before(before) || want.After(time.Now()) {
			t.Errorf("aviso %s: got %v, want %v", a.ID, a.RecibidoEn, want)
		}
	}
}

func TestStore_ListAvisos(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	empty, err := store.ListAvisos(t.Context(), empresaA, "")
	if err != nil || empty.Revision == "" || empty.SinCambios {
		t.Errorf("empty list %+v, %v", empty, err)
	}
	seen := map[string]bool{empty.Revision: true}
	for range reportes.MaxAvisos + 5 {
		_, err = store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
		must(t, err)
		lista, err := store.ListAvisos(t.Context(), empresaA, "")
		must(t, err)
		if seen[lista.Revision] {
			t.Fatalf("revision %s repeats", lista.Revision)
		}
		seen[lista.Revision] = true
	}
	lista, err := store.ListAvisos(t.Context(), empresaA, empty.Revision)
	must(t, err)
	if len(lista.Avisos) != reportes.MaxAvisos || lista.SinCambios {
		t.Errorf("%d avisos, unchanged %v", len(lista.Avisos), lista.SinCambios)
	}
	for i, aviso := range lista.Avisos[1:] {
		if aviso.RecibidoEn.After(lista.Avisos[i].RecibidoEn) {
			t.Fatal("not newest first")
		}
	}
	must(t, store.SavePrueba(t.Context(), empresaB, solicitud(nil)))
	again, err := store.ListAvisos(t.Context(), empresaA, lista.Revision)
	if err != nil || !again.SinCambios || len(again.Avisos) != 0 || again.Revision != lista.Revision {
		t.Errorf("unchanged list %+v, %v", again, err)
	}
}

// Whatever came in which order, the list is the newest notices but for the tests that are
// too many.
func TestStore_ListAvisos_testsPushNoRealOneOut(t *testing.T) {
	t.Parallel()
	const activa, prueba = reportes.AvisoActivacion, reportes.AvisoActivacionPrueba
	type run struct {
		tipo  reportes.TipoAviso
		times int
	}
	for name, runs := range map[string][]run{
		"tests after real ones": {{activa, 60}, {prueba, 60}},
		"real ones after tests": {{prueba, 60}, {activa, 60}},
		"in turns":              {{prueba, 4}, {activa, 20}, {prueba, 4}, {activa, 20}, {prueba, 4}, {activa, 20}, {prueba, 4}},
		"tests alone":           {{prueba, 15}},
		"few of both":           {{activa, 2}, {prueba, 12}, {activa, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, _ := newStore(t)
			var came []reportes.TipoAviso
			must(t, store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
				for _, run := range runs {
					for range run.times {
						must(t, insertAviso(t.Context(), tx, empresaA, reportes.Aviso{ReporteID: reporteID, Tipo: run.tipo, CURP: curp}))
						came = append(came, run.tipo)
					}
				}
				return nil
			}))
			var want []reportes.TipoAviso
			pruebas := 0
			for _, tipo := range slices.Backward(came) {
				if tipo == prueba {
					pruebas++
				}
				if len(want) < reportes.MaxAvisos && (tipo == activa || pruebas <= reportes.MaxAvisosPrueba) {
					want = append(want, tipo)
				}
			}
			wantAvisos(t, store, empresaA, want...)
		})
	}
}

// Those who come at the same time share a transaction, and each gets its own: new ones, the
// same id twice, and an active id with another CURP.
func TestStore_SaveActivacion_manyAtOnceEachItsOwn(t *testing.T) {
	t.Parallel()
	store, q := newStore(t)
	const ids = 20
	var activating sync.WaitGroup
	for n := range 3 * ids {
		activating.Go(func() {
			want := solicitud(func(s *reportes.Solicitud) {
				s.ReporteID = fmt.Sprintf("%02d%s", n%ids, reporteID[2:])
				s.Persona.Nombre = fmt.Sprintf("NOMBRE %d", n%ids)
			})
			r, err := store.SaveActivacion(t.Context(), empresaA, want)
			if err != nil || r.ReporteID != want.ReporteID || r.Persona != want.Persona || r.Ciclo != 1 {
				t.Errorf("activated as %s, cycle %d, %v; want %s", r.ReporteID, r.Ciclo, err, want.ReporteID)
			}
		})
	}
	activating.Wait()
	if q.len() != 3*ids {
		t.Errorf("registros is told %d times, want %d: once for each request", q.len(), 3*ids)
	}
	if got := len(asientos(t, store, empresaA)); got < 3*ids {
		t.Errorf("%d entries of the Bitácora, want one for each request", got)
	}
}
