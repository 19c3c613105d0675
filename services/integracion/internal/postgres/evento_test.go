package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/eventos"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

func newEvento(id, content string) eventos.EventoAceptado {
	return eventos.EventoAceptado{EmpresaID: empresaA, ID: id, Huella: bytes.Repeat([]byte(content), 32)}
}

func accept(t *testing.T, store *Store, e eventos.EventoAceptado, wantNew bool, want eventos.EventoAceptado) {
	t.Helper()
	called := false
	counts, isNew, err := store.AcceptEvento(t.Context(), e, func(context.Context) error { called = true; return nil })
	must(t, err)
	if isNew != wantNew || called != wantNew || counts.ID != want.ID || !bytes.Equal(counts.Huella, want.Huella) {
		t.Errorf("%s: new %v, saved %v, %+v counts", e.ID, isNew, called, counts)
	}
}

func TestStore_eventos(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	first, other := newEvento("e-1", "x"), newEvento("e-1", "y")
	accept(t, store, first, true, first)
	accept(t, store, first, false, first)
	accept(t, store, other, false, first)
	other.EmpresaID = empresaB
	accept(t, store, other, true, other)
}

func TestStore_eventosAreNotKeptUnlessSaved(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	e := newEvento("e-1", "x")
	broken := errors.New("not saved")
	_, _, err := store.AcceptEvento(t.Context(), e, func(context.Context) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("error = %v", err)
	}
	mended := newEvento("e-1", "y")
	accept(t, store, mended, true, mended)
}

// Of two deliveries at once the second waits for the first, whatever becomes of it.
func TestStore_aSecondEventoWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	store, _, database := newStoreIn(t)
	for n, outcome := range []error{nil, errors.New("not saved")} {
		e := newEvento(fmt.Sprintf("e-%d", n), "x")
		saving, goOn := make(chan struct{}), make(chan struct{})
		var both sync.WaitGroup
		both.Go(func() {
			_, _, err := store.AcceptEvento(t.Context(), e, func(context.Context) error {
				close(saving)
				<-goOn
				return outcome
			})
			if !errors.Is(err, outcome) {
				t.Errorf("the first: %v", err)
			}
		})
		<-saving
		both.Go(func() { accept(t, store, e, outcome != nil, e) })
		database.WaitForLock(t)
		close(goOn)
		both.Wait()
	}
}

// However many events registros keeps waiting, half of the connections are there for the
// rest.
func TestStore_eventosLeaveConnections(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t, Migrations)
	db, err := pg.Open(t.Context(), pg.Config{URL: database.AppURL, MaxConns: 4})
	must(t, err)
	t.Cleanup(db.Close)
	store := NewStore(db, &queue{}, huellas)
	for _, id := range []tenant.EmpresaID{empresaA, empresaB} {
		_, err := createEmpresa(t, store, cuentas.Empresa{ID: id, Nombre: "LABORATORIO", InstitucionID: string(id)})
		must(t, err)
	}
	goOn := make(chan struct{})
	saving := make(chan struct{}, 20)
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			_, _, err := store.AcceptEvento(t.Context(), newEvento(fmt.Sprintf("e-%d", n), "x"), func(context.Context) error {
				saving <- struct{}{}
				<-goOn
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	<-saving
	<-saving
	for range 50 {
		_, err := store.GetEmpresa(t.Context(), empresaB)
		must(t, err)
	}
	if n := len(saving); n != 0 {
		t.Errorf("%d more than half of the connections are in use", n)
	}
	close(goOn)
	all.Wait()
}

func TestStore_eventoWhoseCallerGoesAway(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := store.AcceptEvento(ctx, newEvento("e-1", "x"), func(context.Context) error { cancel(); return nil })
	if err == nil {
		t.Error("it was accepted for nobody")
	}
	mended := newEvento("e-1", "y")
	accept(t, store, mended, true, mended)
}

func TestStore_PurgeEventos(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	for n := range purgeBatch + 1 {
		e := newEvento(fmt.Sprintf("e-%d", n), "x")
		accept(t, store, e, true, e)
	}
	must(t, store.db.AcrossEmpresas(t.Context(), func(tx pgx.Tx) error {
		purged, last, err := store.PurgeEventos(t.Context(), time.Hour)
		if purged != 0 || !last {
			t.Errorf("%d forgotten before their time", purged)
		}
		return err
	}))
	for _, want := range []int{purgeBatch, 1} {
		purged, last, err := store.PurgeEventos(t.Context(), 0)
		must(t, err)
		if purged != want || last != (want < purgeBatch) {
			t.Errorf("%d forgotten, last %v; want %d", purged, last, want)
		}
	}
	first := newEvento("e-1", "y")
	accept(t, store, first, true, first)
}

func TestStore_eventosAreNotChanged(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	err := store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE eventos SET huella = huella`)
		return err
	})
	if err == nil || errs.Is(err, errores.NoDisponible) {
		t.Errorf("error = %v, want a refusal", err)
	}
}
