package postgres

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/enlace-iis/enlace/services/integracion/internal/integracion"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const eventoKeyID = "ABCDEFGHIJKLMNOPQRST"

// withEventoKey gives both institutions a key, each of its own id.
func withEventoKey(t *testing.T, store *Store) {
	t.Helper()
	for empresa, id := range map[tenant.EmpresaID]string{empresaA: eventoKeyID, empresaB: eventoKeyID + "B"} {
		_, err := store.CreateApiKey(t.Context(), integracion.ApiKey{
			KeyID: id, EmpresaID: empresa, Nombre: "n", Prefijo: "p", Ambitos: []integracion.Ambito{integracion.AmbitoCliente},
		})
		must(t, err)
	}
}

func newEvento(id, folio, content string) integracion.EventoRecibido {
	return integracion.EventoRecibido{
		EmpresaID: empresaA, ID: id, KeyID: eventoKeyID, Tipo: integracion.RegistroCreado, Folio: folio,
		Fecha:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Huella:   bytes.Repeat([]byte(content), 32),
		Registro: integracion.RegistroRecibido{Folio: folio, CURP: "c", Domicilio: integracion.Direccion{Calle: content}},
		Estado:   integracion.EventoRecibidoAun,
	}
}

func accept(t *testing.T, store *Store, e integracion.EventoRecibido, wantNew bool) integracion.EventoRecibido {
	t.Helper()
	stored, isNew, err := store.AcceptEvento(t.Context(), e)
	if err != nil || isNew != wantNew {
		t.Fatalf("%s: new %v, %v", e.ID, isNew, err)
	}
	return stored
}

func TestStore_eventos(t *testing.T) {
	t.Parallel()
	store, queue := newStore(t)
	withEventoKey(t, store)
	e := newEvento("e-1", "F", "x")
	stored := accept(t, store, e, true)
	e.RecibidoEn = stored.RecibidoEn
	if diff := cmp.Diff(e, stored); diff != "" || stored.RecibidoEn.IsZero() {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	again := accept(t, store, newEvento("e-1", "F", "y"), false)
	if diff := cmp.Diff(stored, again); diff != "" {
		t.Errorf("a second one changed it (-want +got):\n%s", diff)
	}
	other := newEvento("e-1", "F", "y")
	other.Errores = []errs.Field{{Puntero: "/x"}}
	must(t, store.RejectEvento(t.Context(), other))
	found, err := store.GetEvento(t.Context(), empresaA, "e-1")
	must(t, err)
	if diff := cmp.Diff(stored, found); diff != "" {
		t.Errorf("a rejection changed it (-want +got):\n%s", diff)
	}
	_, err = store.GetEvento(t.Context(), empresaB, "e-1")
	wantMotivo(t, err, errs.NoEncontrado)

	stored.Estado, stored.Coincidencias = integracion.EventoProcesado, 2
	must(t, store.FinishEvento(t.Context(), stored))
	must(t, store.FinishEvento(t.Context(), stored))
	found, err = store.GetEvento(t.Context(), empresaA, "e-1")
	must(t, err)
	if found.Estado != integracion.EventoProcesado || found.Coincidencias != 2 || found.DecididoEn.IsZero() || found.Registro != (integracion.RegistroRecibido{}) {
		t.Errorf("finished %+v", found)
	}
	if diff := cmp.Diff([]string{"e-1"}, queue.eventos); diff != "" {
		t.Errorf("asked to process (-want +got):\n%s", diff)
	}
}

func TestStore_rejectedEventoMakesRoom(t *testing.T) {
	t.Parallel()
	store, queue := newStore(t)
	withEventoKey(t, store)
	wrong := integracion.EventoRecibido{
		EmpresaID: empresaA, ID: "e-1", KeyID: eventoKeyID, Huella: bytes.Repeat([]byte("x"), 32),
		Errores: []errs.Field{{Indice: errs.SinIndice, Puntero: "/tipo", Codigo: "requerido", Mensaje: "m"}},
	}
	for range 2 {
		must(t, store.RejectEvento(t.Context(), wrong))
	}
	listed, err := store.ListEventos(t.Context(), empresaA, integracion.EventoRechazado, 10)
	must(t, err)
	if len(listed) != 1 || !cmp.Equal(listed[0].Errores, wrong.Errores) || !listed[0].Fecha.IsZero() || listed[0].DecididoEn.IsZero() {
		t.Errorf("listed %+v", listed)
	}
	mended := accept(t, store, newEvento("e-1", "F", "y"), true)
	if mended.Estado != integracion.EventoRecibidoAun || len(mended.Errores) > 0 || !mended.DecididoEn.IsZero() {
		t.Errorf("mended %+v", mended)
	}
	if diff := cmp.Diff([]string{"e-1"}, queue.eventos); diff != "" {
		t.Errorf("asked to process (-want +got):\n%s", diff)
	}
	none, err := store.ListEventos(t.Context(), empresaA, integracion.EventoRechazado, 10)
	if err != nil || len(none) != 0 {
		t.Errorf("still listed: %+v, %v", none, err)
	}
}

// TestStore_eventosOfOneFolioFormAChain holds that the next one starts when the one before
// is finished, in the order of arrival, a mended one at its end.
func TestStore_eventosOfOneFolioFormAChain(t *testing.T) {
	t.Parallel()
	store, queue := newStore(t)
	withEventoKey(t, store)
	rejected := newEvento("mended", "F", "r")
	rejected.Errores = []errs.Field{{Puntero: "/x"}}
	must(t, store.RejectEvento(t.Context(), rejected))
	first := accept(t, store, newEvento("first", "F", "a"), true)
	second := accept(t, store, newEvento("second", "F", "b"), true)
	accept(t, store, newEvento("elsewhere", "G", "c"), true)
	accept(t, store, newEvento("mended", "F", "d"), true)
	wantAsked := func(want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, queue.eventos); diff != "" {
			t.Errorf("asked to process (-want +got):\n%s", diff)
		}
	}
	wantAsked("first", "elsewhere")
	first.Estado = integracion.EventoProcesado
	must(t, store.FinishEvento(t.Context(), first))
	wantAsked("first", "elsewhere", "second")
	second.Estado, second.Errores = integracion.EventoRechazado, []errs.Field{{Puntero: "/x"}}
	must(t, store.FinishEvento(t.Context(), second))
	wantAsked("first", "elsewhere", "second", "mended")
}
