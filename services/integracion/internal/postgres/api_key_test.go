package postgres

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
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
	wantMotivo(t, err, errs.NoEncontrado)

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
	wantMotivo(t, err, errs.NoEncontrado)

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
