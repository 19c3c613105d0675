package postgres_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// collect reads a list that comes in chunks.
func collect[T any](t *testing.T, each func(ctx context.Context, yield func([]T) error) error) []T {
	t.Helper()
	var all []T
	err := each(t.Context(), func(chunk []T) error {
		all = append(all, chunk...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (b bundle) situacion(t *testing.T) registros.Situacion {
	t.Helper()
	all := collect(t, func(ctx context.Context, yield func([]registros.Situacion) error) error {
		return b.store.EachSituacion(ctx, empresaUno, reporteUno, yield)
	})
	if len(all) != 1 {
		t.Fatalf("%d situaciones, want 1", len(all))
	}
	return all[0]
}

func (b bundle) hallazgos(t *testing.T, f registros.Filtro) []registros.Hallazgo {
	t.Helper()
	return collect(t, func(ctx context.Context, yield func([]registros.Hallazgo) error) error {
		return b.store.EachHallazgo(ctx, empresaUno, f, yield)
	})
}

// step takes the next step of a Caso with an outcome.
func (b bundle) step(t *testing.T, caso registros.CasoID, r envio.Respuesta) {
	t.Helper()
	paso, err := b.pasos().NextPaso(t.Context(), empresaUno, caso)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.pasos().RecordPaso(t.Context(), empresaUno, caso, paso, r)
	if err != nil {
		t.Fatal(err)
	}
}

var (
	accepted = envio.Respuesta{Resultado: envio.Aceptado}
	rejected = envio.Respuesta{Resultado: envio.Rechazado, Detalle: "'nombre' es obligatorio"}
)

func TestStore_EachSituacion_followsTheCaso(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil), newRegistro("B", nil))
	id, err := b.store.OpenCaso(t.Context(), empresaUno, newReporte(nil))
	if err != nil {
		t.Fatal(err)
	}
	if s := b.situacion(t); s.Fase() != manual.FaseBasicos {
		t.Errorf("before the search: %+v", s)
	}
	b.search(t, empresaUno, id)
	if s := b.situacion(t); s.Fase() != manual.FaseHistorica || s.Pendientes != 3 {
		t.Errorf("after the search: %+v", s)
	}
	b.step(t, id, accepted)
	b.step(t, id, rejected)
	b.told(t, empresaUno, id)
	s := b.situacion(t)
	if s.Fase() != manual.FaseContinua || s.Notificadas != 2 || s.Rechazadas != 1 || s.Estado != registros.CasoMonitoreo || s.FinalizadaEn.IsZero() {
		t.Errorf("in the end: %+v", s)
	}
}

func TestStore_searchesAreNoted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil), newRegistro("B", on("2026-03-01")))
	caso := b.open(t, empresaUno, newReporte(nil))
	b.search(t, empresaUno, caso) // has run already
	each := func(f registros.Filtro) []string {
		var notes []string
		for _, s := range collect(t, func(ctx context.Context, yield func([]registros.Busqueda) error) error {
			return b.store.EachBusqueda(ctx, empresaUno, f, yield)
		}) {
			notes = append(notes, strconv.Itoa(int(s.Fase))+":"+strconv.Itoa(s.Registros)+":"+strconv.Itoa(s.Coincidencias))
		}
		return notes
	}
	if got, want := each(registros.Filtro{ReporteID: reporteUno}), []string{"1:2:1", "2:1:1"}; !slices.Equal(got, want) {
		t.Errorf("searches = %v, want %v", got, want)
	}
	if got := each(registros.Filtro{Desde: time.Now().Add(time.Hour)}); len(got) != 0 {
		t.Errorf("searches of the future: %v", got)
	}
	if got := each(registros.Filtro{Hasta: time.Now().Add(time.Hour)}); len(got) != 2 {
		t.Errorf("searches until now: %v", got)
	}
	// Phase 3 notes a batch of which not every Registro of the person became a Coincidencia, which
	// is a note of its own.
	stranger := newRegistro("X", func(r *registros.Registro) { r.CURP = curpDos })
	during := []registros.Registro{newRegistro("C", on("2026-06-16")), newRegistro("D", on("2026-06-17")), stranger}
	b.save(t, empresaUno, during...)
	b.save(t, empresaUno, during...)
	b.save(t, empresaUno, newRegistro("F", on("2026-06-18")), newRegistro("G", on("1990-01-01")))
	b.save(t, empresaUno, newRegistro("E", on("1990-01-01")))
	if got, want := each(registros.Filtro{ReporteID: reporteUno})[2:], []string{"3:2:1", "3:1:0"}; !slices.Equal(got, want) {
		t.Errorf("compared in phase 3 = %v, want %v", got, want)
	}
	for _, statement := range []string{`UPDATE busquedas SET registros = 0`, `DELETE FROM busquedas`} {
		err := b.db.AcrossEmpresas(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), statement)
			return err
		})
		refused, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || refused.Code != "42501" {
			t.Errorf("%s: %v, want insufficient privilege", statement, err)
		}
	}
}

func TestStore_RetryCoincidencia(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	caso := b.open(t, empresaUno, newReporte(nil))
	b.step(t, caso, accepted)
	b.step(t, caso, rejected)
	b.told(t, empresaUno, caso)
	rechazadas := b.hallazgos(t, registros.Filtro{Estado: registros.CoincidenciaRechazada})
	if len(rechazadas) != 1 || rechazadas[0].Detalle != rejected.Detalle || rechazadas[0].Folio != "A" {
		t.Fatalf("rejected = %+v", rechazadas)
	}
	before, err := b.store.Revision(t.Context(), empresaUno)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // repeating is harmless
		err = b.store.RetryCoincidencia(t.Context(), empresaUno, rechazadas[0].ID)
		if err != nil {
			t.Fatal(err)
		}
	}
	after, err := b.store.Revision(t.Context(), empresaUno)
	if err != nil || after == before {
		t.Errorf("the lists' revision stays %s, %v", after, err)
	}
	if got := b.told(t, empresaUno, caso); !slices.Equal(got, []string{"2:A"}) {
		t.Errorf("told %v, want the one match again and no second end", got)
	}
	// One that the platform answered 300, which integracion knows.
	if err := b.store.RetryCoincidencia(t.Context(), empresaUno, rechazadas[0].ID); err != nil {
		t.Errorf("one that was told: %v", err)
	}
	if got := b.told(t, empresaUno, caso); !slices.Equal(got, []string{"2:A"}) {
		t.Errorf("told %v, want the one match once more", got)
	}
	if err := b.store.RetryCoincidencia(t.Context(), empresaDos, rechazadas[0].ID); !errs.Is(err, errores.NoEncontrado) {
		t.Errorf("another institution's: %v", err)
	}
	if err := b.store.RetryCoincidencia(t.Context(), empresaUno, uuid.New()); !errs.Is(err, errores.NoEncontrado) {
		t.Errorf("an unknown one: %v", err)
	}
}

func TestStore_RetryCoincidencia_notOfAClosedCaso(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	caso := b.open(t, empresaUno, newReporte(nil))
	b.step(t, caso, rejected)
	err := b.store.CloseCaso(t.Context(), empresaUno, reporteUno, 1, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	rechazadas := b.hallazgos(t, registros.Filtro{Estado: registros.CoincidenciaRechazada})
	if err := b.store.RetryCoincidencia(t.Context(), empresaUno, rechazadas[0].ID); !errs.Is(err, errores.Conflicto) {
		t.Errorf("error = %v, want a conflict", err)
	}
}

// wantFinalizacion is for what institutions see of their only Caso.
func (b bundle) wantFinalizacion(t *testing.T, want registros.Finalizacion) {
	t.Helper()
	casos := collect(t, func(ctx context.Context, yield func([]registros.Caso) error) error {
		return b.store.EachCasos(ctx, empresaUno, "", yield)
	})
	if len(casos) != 1 || casos[0].Finalizacion != want {
		t.Errorf("casos %+v, want one that is %s", casos, want)
	}
}

func TestStore_RetryFinalizacion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	caso := b.open(t, empresaUno, newReporte(nil))
	b.step(t, caso, accepted) // phase 1
	b.step(t, caso, rejected) // phase 2
	b.step(t, caso, rejected) // the end
	if got := b.situacion(t); got.Finalizacion != "rechazada" || got.Estado != registros.CasoMonitoreo {
		t.Fatalf("before: %+v", got)
	}
	b.wantFinalizacion(t, registros.FinalizacionRechazada)
	retry := func(empresa tenant.EmpresaID, reporteID string) error {
		return b.store.RetryFinalizacion(t.Context(), empresa, reporteID, 1)
	}
	for range 2 { // repeating is harmless
		err := retry(empresaUno, reporteUno)
		if err != nil {
			t.Fatal(err)
		}
	}
	b.wantFinalizacion(t, registros.FinalizacionPendiente)
	// What was found meanwhile, or is tried again too, keeps its place.
	b.save(t, empresaUno, newRegistro("B", nil))
	err := b.store.RetryCoincidencia(t.Context(), empresaUno, b.hallazgos(t, registros.Filtro{Estado: registros.CoincidenciaRechazada})[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.told(t, empresaUno, caso); !slices.Equal(got, []string{"2:A", "fin", "3:B"}) {
		t.Errorf("told %v, want the match of phase 2, the end and what came after it", got)
	}
	if got := b.situacion(t); got.Finalizacion != "notificada" || got.Estado != registros.CasoMonitoreo {
		t.Errorf("after: %+v", got)
	}
	b.wantFinalizacion(t, registros.FinalizacionNotificada)
	if err := retry(empresaUno, reporteUno); !errs.Is(err, errores.Conflicto) {
		t.Errorf("one that was told: %v", err)
	}
	if err := retry(empresaDos, reporteUno); !errs.Is(err, errores.NoEncontrado) {
		t.Errorf("another institution's: %v", err)
	}
	err = b.store.CloseCaso(t.Context(), empresaUno, reporteUno, 1, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := retry(empresaUno, reporteUno); !errs.Is(err, errores.Conflicto) {
		t.Errorf("of a closed caso: %v", err)
	}
}
