package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// The numbers are those of the rules in pui.md 3.2; those that need no storage are in
// package registros, those about the platform's requests in integracion.

// on puts an event on another day.
func on(day string) func(*registros.Registro) {
	return func(r *registros.Registro) { r.FechaEvento = fecha(day) }
}

// withoutDate leaves out the disappearance date.
func withoutDate(r *registros.Reporte) { r.FechaDesaparicion = manual.Fecha{} }

func TestRule02_phasesAreToldInOrderWithOneEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno,
		newRegistro("late", on("2026-06-14")),
		newRegistro("early", on("2026-04-01")),
		newRegistro("before", on("2026-03-31")),
		newRegistro("other", func(r *registros.Registro) { r.CURP = curpDos }))
	caso := b.open(t, empresaUno, newReporte(nil))
	b.save(t, empresaUno,
		newRegistro("new", on("2026-06-16")),
		newRegistro("too old", on("2026-03-31")),
		newRegistro("late", func(r *registros.Registro) { r.Telefono = "5555555555" }))

	got := b.told(t, empresaUno, caso)
	want := []string{"1:late", "2:early", "2:late", "fin", "3:late", "3:new"}
	if !slices.Equal(got[:4], want[:4]) {
		t.Errorf("told %v, want %v", got, want)
	}
	slices.Sort(got[4:])
	if !slices.Equal(got[4:], want[4:]) {
		t.Errorf("told in phase 3 %v, want %v", got[4:], want[4:])
	}
}

func TestRule03_withoutADateTheEndIsToldAllTheSame(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	caso := b.open(t, empresaUno, newReporte(withoutDate))
	b.save(t, empresaUno, newRegistro("yesterday", on("2026-06-14")), newRegistro("today", on("2026-06-15")))

	got := b.told(t, empresaUno, caso)
	if want := []string{"1:A", "fin", "3:today", "3:yesterday"}; !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
}

func TestRule12_aRepeatedActivationRunsOnlyWhatWasSkipped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	undated := newReporte(withoutDate)
	caso := b.open(t, empresaUno, undated)
	b.save(t, empresaUno, newRegistro("between", on("2026-06-10")), newRegistro("today", on("2026-06-15")))
	before := b.told(t, empresaUno, caso)
	if want := []string{"1:A", "fin", "3:between", "3:today"}; !slices.Equal(before, want) {
		t.Fatalf("told %v, want %v", before, want)
	}

	again := b.open(t, empresaUno, undated)
	if again != caso {
		t.Errorf("a repeated activation opened another caso")
	}
	if more := b.told(t, empresaUno, caso); len(more) > 0 {
		t.Errorf("a repeated activation told %v", more)
	}

	b.open(t, empresaUno, newReporte(nil))
	more := b.told(t, empresaUno, caso)
	if want := []string{"2:A"}; !slices.Equal(more, want) { // and no second end
		t.Errorf("with the missing date %v was told, want %v", more, want)
	}
}

func TestRules10And13_aDeactivationEndsItAllAndTheNextCycleIsNew(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	caso := b.open(t, empresaUno, newReporte(nil))

	for range 2 { // repeating is harmless
		err := b.store.CloseCaso(t.Context(), empresaUno, reporteUno, 1, time.Now())
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := b.told(t, empresaUno, caso); len(got) > 0 {
		t.Errorf("a closed caso told %v", got)
	}
	if n := b.count(t, `coincidencias WHERE estado = 'cancelada'`); n != 2 {
		t.Errorf("%d coincidencias cancelled, want 2", n)
	}
	b.save(t, empresaUno, newRegistro("B", nil))
	if n := b.count(t, `coincidencias WHERE fase = 3`); n != 0 {
		t.Errorf("a closed caso matched %d registros", n)
	}

	next := b.open(t, empresaUno, newReporte(func(r *registros.Reporte) { r.Ciclo = 2 }))
	got := b.told(t, empresaUno, next)
	if want := []string{"1:B", "2:A", "2:B", "fin"}; !slices.Equal(got, want) {
		t.Errorf("the next cycle told %v, want %v", got, want)
	}
}

func TestRule14_sameCURPInTwoReportesAreTwoCasos(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one := b.open(t, empresaUno, newReporte(nil))
	two := b.open(t, empresaUno, newReporte(func(r *registros.Reporte) {
		r.ID = "B-550e8400-e29b-41d4-a716-446655440000"
	}))
	guardado := b.save(t, empresaUno, newRegistro("A", nil))
	if guardado.Coincidencias != 2 {
		t.Errorf("%d coincidencias, want one for each caso", guardado.Coincidencias)
	}
	for _, caso := range []registros.CasoID{one, two} {
		if got := b.told(t, empresaUno, caso); !slices.Equal(got, []string{"fin", "3:A"}) {
			t.Errorf("told %v", got)
		}
	}
}

func TestRule04_theEndWaitsForPhase2(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil), newRegistro("B", on("2026-06-13")))
	caso := b.open(t, empresaUno, newReporte(nil))
	later := envio.Respuesta{Resultado: envio.MasTarde, Detalle: "x", Esperar: time.Second}
	for _, r := range []envio.Respuesta{accepted, later, rejected, later} {
		b.step(t, caso, r)
	}
	paso, err := b.pasos().NextPaso(t.Context(), empresaUno, caso)
	if err != nil {
		t.Fatal(err)
	}
	if paso.Finish != nil || paso.Coincidencia == nil || paso.Coincidencia.Registro.Folio != "A" {
		t.Errorf("next = %+v, want the match that waits", paso)
	}
	if got := b.told(t, empresaUno, caso); !slices.Equal(got, []string{"2:A", "fin"}) {
		t.Errorf("told %v", got)
	}
}

func TestRule05_theBoundaryOfTwelveYearsIsInside(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno,
		newRegistro("boundary", on("2014-06-15")), newRegistro("before", on("2014-06-14")), newRegistro("activation", on("2026-06-15")))
	caso := b.open(t, empresaUno, newReporte(func(r *registros.Reporte) { r.FechaDesaparicion = fecha("2000-01-01") }))
	want := []string{"1:activation", "2:boundary", "2:activation", "fin"}
	if got := b.told(t, empresaUno, caso); !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
}

// The request of a report that only the platform's list told of is the day on which the platform
// registered it; a date that comes later is counted from the activation, as if it had been there.
func TestRule15_theDayOfTheRequestBoundsACasoWithoutADate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("old", on("2014-06-14")), newRegistro("before", on("2026-06-09")),
		newRegistro("registered", on("2026-06-10")), newRegistro("since", on("2026-06-14")))
	listed := newReporte(func(r *registros.Reporte) {
		withoutDate(r)
		r.ActivadoEn = fecha("2026-06-10").Inicio()
	})
	caso := b.open(t, empresaUno, listed)
	if got, want := b.told(t, empresaUno, caso), []string{"1:since", "fin", "3:registered", "3:since"}; !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	b.open(t, empresaUno, newReporte(func(r *registros.Reporte) { r.FechaDesaparicion = fecha("2000-01-01") }))
	if n := b.count(t, `casos WHERE activado_en = $1 AND historica_desde = '2014-06-15' AND historica_hasta = '2026-06-15'`, activacion); n != 1 {
		t.Error("phase 2 is not the one of the activation")
	}
}

func TestRule06_aDisappearanceInTheFutureFindsNothingInPhase2(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	caso := b.open(t, empresaUno, newReporte(func(r *registros.Reporte) { r.FechaDesaparicion = fecha("2026-06-20") }))
	b.save(t, empresaUno, newRegistro("before", on("2026-06-19")), newRegistro("after", on("2026-06-20")))
	if got, want := b.told(t, empresaUno, caso), []string{"1:A", "fin", "3:after"}; !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
}

func TestRule07_beforeTheDisappearanceOnlyWhatAdds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("old", on("2026-03-31")))
	caso := b.open(t, empresaUno, newReporte(nil))
	older := func(change func(*registros.Registro)) func(*registros.Registro) {
		return func(r *registros.Registro) { r.FechaEvento = fecha("2026-03-31"); change(r) }
	}
	guardado := b.save(t, empresaUno,
		newRegistro("known", on("2026-03-31")),
		newRegistro("adds", older(func(r *registros.Registro) { r.Telefono = "5555555555" })),
		newRegistro("adds the same", older(func(r *registros.Registro) { r.Telefono = "5555555555" })),
		newRegistro("too old", func(r *registros.Registro) { r.FechaEvento, r.Correo = fecha("2014-06-14"), "a@example.com" }),
		newRegistro("day", on("2026-04-01")))
	if guardado.Coincidencias != 2 {
		t.Errorf("got %d coincidencias, want 2", guardado.Coincidencias)
	}
	if got, want := b.told(t, empresaUno, caso), []string{"1:old", "fin", "3:day", "3:adds"}; !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
}

// What the platform was told of a person are its report's own data, phase 1, and each match of
// the Caso that it did not refuse.
func TestRule07_whatWasToldIsKnown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("first", func(r *registros.Registro) { r.FechaEvento, r.Correo = fecha("2026-03-30"), "a@example.com" }))
	reporte := newReporte(func(r *registros.Reporte) { r.Persona.PrimerApellido = "PRIMERO" })
	caso := b.open(t, empresaUno, reporte)
	b.told(t, empresaUno, caso)
	for _, step := range []struct {
		name   string
		change func(*registros.Registro)
		answer envio.Respuesta
		found  int
	}{
		{"the report's", func(r *registros.Registro) { r.PrimerApellido = "primero" }, accepted, 0},
		{"phase 1's", func(r *registros.Registro) { r.Correo = "a@example.com" }, accepted, 0},
		{"refused", func(r *registros.Registro) { r.Telefono = "5555555555" }, rejected, 1},
		{"what was refused", func(r *registros.Registro) { r.Telefono, r.Correo = "5555555555", "a@example.com" }, accepted, 1},
		{"phase 3's", func(r *registros.Registro) { r.Telefono = "5555555555" }, accepted, 0},
	} {
		guardado := b.save(t, empresaUno, newRegistro(step.name, func(r *registros.Registro) { r.FechaEvento = fecha("2026-03-31"); step.change(r) }))
		if guardado.Coincidencias != step.found {
			t.Errorf("%s: got %d coincidencias, want %d", step.name, guardado.Coincidencias, step.found)
		}
		for range guardado.Coincidencias {
			b.step(t, caso, step.answer)
		}
	}
}

// Phase 3 has no period here: a match arises in the transaction that writes the Registro.
func TestRules08And09_eachNewContentIsToldOnceAndAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	original := newRegistro("A", nil)
	b.save(t, empresaUno, original)
	caso := b.open(t, empresaUno, newReporte(nil))
	b.told(t, empresaUno, caso)
	change := func(fn func(*registros.Registro)) registros.Registro { return newRegistro("A", fn) }
	changed := change(func(r *registros.Registro) { r.Telefono = "5555555555" })
	for _, step := range []struct {
		name  string
		write registros.Registro
		found int
	}{
		{"the same again", original, 0},
		{"a modification", changed, 1},
		{"the modification again", changed, 0},
		{"back to the first content", original, 0},
		{"forth to the second", changed, 0},
		{"what the platform is not told", change(func(r *registros.Registro) {
			r.Telefono, r.SexoAsignado, r.Nombre = "5555555555", "H", "NOMBRE§"
		}), 0},
		{"another modification", change(func(r *registros.Registro) { r.DescripcionLugarEvento = "Sucursal Centro" }), 1},
	} {
		guardado := b.save(t, empresaUno, step.write)
		if guardado.Coincidencias != step.found {
			t.Errorf("%s: %d coincidencias, want %d", step.name, guardado.Coincidencias, step.found)
		}
		if got := b.told(t, empresaUno, caso); len(got) != step.found {
			t.Errorf("%s: told %v", step.name, got)
		}
	}
}

// With a date that comes later all is searched again; what changed to and fro is not told again.
func TestRules09And12_aNewSearchTellsNoContentTwice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caso := b.open(t, empresaUno, newReporte(withoutDate))
	original := newRegistro("A", nil)
	b.save(t, empresaUno, original)
	b.save(t, empresaUno, newRegistro("A", func(r *registros.Registro) { r.Telefono = "5555555555" }))
	b.save(t, empresaUno, original)
	if got, want := b.told(t, empresaUno, caso), []string{"fin", "3:A", "3:A"}; !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	b.open(t, empresaUno, newReporte(nil))
	if got := b.told(t, empresaUno, caso); len(got) > 0 {
		t.Errorf("the new search told %v", got)
	}
}

// A search in flight when the deactivation comes leaves nothing behind.
func TestRule10_aSearchAfterTheDeactivationIsIgnored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	caso, err := b.store.OpenCaso(t.Context(), empresaUno, newReporte(nil))
	if err != nil {
		t.Fatal(err)
	}
	err = b.store.CloseCaso(t.Context(), empresaUno, reporteUno, 1, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	b.search(t, empresaUno, caso)
	if n := b.count(t, `coincidencias`); n != 0 {
		t.Errorf("%d coincidencias of a closed caso", n)
	}
	if got := b.told(t, empresaUno, caso); len(got) != 0 {
		t.Errorf("told %v, not even the end is to be told", got)
	}
}

// All that a search is and has found is in the database: another process goes on with it.
func TestRule16_searchesAndMatchesOutliveTheProcess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	caso := b.open(t, empresaUno, newReporte(nil))
	b.step(t, caso, accepted)
	client, err := jobs.NewClient(b.db, jobs.Config{})
	if err != nil {
		t.Fatal(err)
	}
	other := bundle{store: postgres.NewStore(b.db, &postgres.RiverQueue{Client: client}), db: b.db, admin: b.admin}
	if got := other.told(t, empresaUno, caso); !slices.Equal(got, []string{"2:A", "fin"}) {
		t.Errorf("told %v", got)
	}
	if n := b.count(t, `river_job WHERE kind = 'deliver_caso'`); n != 1 {
		t.Errorf("%d deliveries wait, want 1", n)
	}
}

func TestRule17_onlyTheExactCURPMatches(t *testing.T) {
	t.Parallel()
	b := setup(t)
	namesake := func(r *registros.Registro) { r.CURP = curpUno[:17] + "7" }
	b.save(t, empresaUno, newRegistro("before", namesake))
	caso := b.open(t, empresaUno, newReporte(func(r *registros.Reporte) { r.Persona.Nombre = "NOMBRE" }))
	b.save(t, empresaUno, newRegistro("after", func(r *registros.Registro) {
		namesake(r)
		r.FechaEvento = fecha("2026-06-15")
	}))
	if got := b.told(t, empresaUno, caso); !slices.Equal(got, []string{"fin"}) {
		t.Errorf("told %v, want nothing but the end", got)
	}
}

// A person's only Registro is sent again with more data after the Caso opened and before its
// search ran. Phase 1 tells the newest that there is; what was sent again adds to the report, so
// phase 3 tells it too.
func TestStore_SearchCaso_phase1SeesWhatWasSentAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("old", on("2020-01-01")))
	caso, err := b.store.OpenCaso(t.Context(), empresaUno, newReporte(nil))
	if err != nil {
		t.Fatal(err)
	}
	b.save(t, empresaUno, newRegistro("old", func(r *registros.Registro) {
		r.FechaEvento, r.Telefono = fecha("2020-01-01"), "5555555555"
	}))
	b.search(t, empresaUno, caso)
	if got := b.told(t, empresaUno, caso); !slices.Equal(got, []string{"1:old", "fin", "3:old"}) {
		t.Errorf("told %v, want 1:old, the end and 3:old", got)
	}
}
