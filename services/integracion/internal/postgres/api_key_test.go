package postgres

import (
	"crypto/sha256"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/auth"
)

func TestStore_apiKeys(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	key := cuentas.ApiKey{
		KeyID: "ABCDEFGHIJKLMNOPQRST", EmpresaID: empresaA, Nombre: "la llave", Prefijo: "iis_x_ABC",
		Ambitos:        []auth.Ambito{auth.AmbitoCliente, auth.AmbitoEventos},
		SecretoSHA256:  sha256.Sum256([]byte("secreto")),
		SecretoWebhook: cuentas.Sellado{Llave: "k", Datos: []byte("sellado")},
		CaducaEn:       time.Date(2099, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	created, err := store.CreateApiKey(t.Context(), key)
	must(t, err)
	key.CreadaEn = created.CreadaEn
	if diff := cmp.Diff(key, created); diff != "" || created.CreadaEn.IsZero() {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	found, empresa, err := store.FindApiKey(t.Context(), key.KeyID)
	must(t, err)
	if diff := cmp.Diff(created, found); diff != "" || empresa.ID != empresaA || empresa.Estado != cuentas.EmpresaActiva {
		t.Errorf("found for %+v (-want +got):\n%s", empresa, diff)
	}
	_, _, err = store.FindApiKey(t.Context(), "unknown")
	wantMotivo(t, err, errores.NoEncontrado)

	must(t, store.TouchApiKey(t.Context(), empresaA, key.KeyID))
	used := onlyKey(t, store).UltimoUsoEn
	must(t, store.TouchApiKey(t.Context(), empresaA, key.KeyID))
	if again := onlyKey(t, store).UltimoUsoEn; used.IsZero() || !again.Equal(used) {
		t.Errorf("used at %v, then at %v within the same minute", used, again)
	}

	revoked, err := store.RevokeApiKey(t.Context(), key.KeyID)
	must(t, err)
	again, err := store.RevokeApiKey(t.Context(), key.KeyID)
	if err != nil || revoked.RevocadaEn.IsZero() || !again.RevocadaEn.Equal(revoked.RevocadaEn) {
		t.Errorf("revoked at %v, then at %v, %v", revoked.RevocadaEn, again.RevocadaEn, err)
	}
	_, err = store.RevokeApiKey(t.Context(), "unknown")
	wantMotivo(t, err, errores.NoEncontrado)

	others, err := store.ListApiKeys(t.Context(), empresaB)
	if err != nil || len(others) != 0 {
		t.Errorf("another institution lists %d keys, %v", len(others), err)
	}
}

func onlyKey(t *testing.T, store *Store) cuentas.ApiKey {
	t.Helper()
	keys, err := store.ListApiKeys(t.Context(), empresaA)
	must(t, err)
	if len(keys) != 1 {
		t.Fatalf("%d keys", len(keys))
	}
	return keys[0]
}

// wantDue holds which keys expire within so long, in the list of them and among what needs somebody.
func wantDue(t *testing.T, store *Store, within time.Duration, want ...string) {
	t.Helper()
	keys, err := store.ListApiKeysPorVencer(t.Context(), within)
	must(t, err)
	var due, pending []string
	for _, key := range keys {
		due = append(due, key.KeyID)
	}
	pendientes, err := store.ListPendientes(t.Context(), within)
	must(t, err)
	for _, p := range pendientes {
		if p.Tipo == seguimiento.PendienteLlavePorVence {
			pending = append(pending, p.Recurso)
		}
	}
	if !slices.Equal(due, want) || !slices.Equal(pending, want) {
		t.Errorf("within %v there are %v to expire, and %v need somebody; want %v", within, due, pending, want)
	}
}

func TestStore_RotateApiKey(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	key := func(id string) cuentas.ApiKey {
		return cuentas.ApiKey{KeyID: id, EmpresaID: empresaA, Nombre: "la llave", Prefijo: "iis_x_A", Ambitos: []auth.Ambito{auth.AmbitoCliente}}
	}
	_, err := store.CreateApiKey(t.Context(), key("ABCDEFGHIJKLMNOPQRST"))
	must(t, err)
	end := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	added, ended, err := store.RotateApiKey(t.Context(), "ABCDEFGHIJKLMNOPQRST", end, key("BBCDEFGHIJKLMNOPQRST"))
	if err != nil || added.KeyID != "BBCDEFGHIJKLMNOPQRST" || !ended.CaducaEn.Equal(end) {
		t.Errorf("added %+v, ended %+v, %v", added, ended, err)
	}
	wantDue(t, store, 2*time.Hour) // another one is in its place
	_, err = store.RevokeApiKey(t.Context(), "BBCDEFGHIJKLMNOPQRST")
	must(t, err)
	wantDue(t, store, 2*time.Hour, "ABCDEFGHIJKLMNOPQRST")
	wantDue(t, store, time.Minute)
	_, _, err = store.RotateApiKey(t.Context(), "unknown", end, key("CBCDEFGHIJKLMNOPQRST"))
	wantMotivo(t, err, errores.NoEncontrado)
	keys, err := store.ListApiKeys(t.Context(), empresaA)
	if err != nil || len(keys) != 2 {
		t.Errorf("a rotation of nobody left %d keys, %v", len(keys), err)
	}
}
