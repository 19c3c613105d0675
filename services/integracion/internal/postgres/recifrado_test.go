package postgres

import (
	"testing"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/auth"
)

// Who changes a secret while it is being sealed anew keeps the new one, whatever it is.
func TestStore_ReplaceSellado_leavesWhatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	old := cuentas.Sellado{Llave: "old", Datos: []byte("x")}
	_, err := store.SetSalida(t.Context(), empresaA, "https://pui.example.mx", old)
	must(t, err)
	_, err = store.CreateApiKey(t.Context(), cuentas.ApiKey{
		KeyID: "ABCDEFGHIJKLMNOPQRST", EmpresaID: empresaA, Nombre: "la llave", Prefijo: "iis_x_ABC",
		Ambitos: []auth.Ambito{auth.AmbitoEventos}, SecretoWebhook: old,
	})
	must(t, err)
	must(t, store.CreateUsuario(t.Context(), cuentas.Usuario{Usuario: "operador", Hash: "$argon2id$x"}))
	must(t, store.SetTOTPNuevo(t.Context(), "operador", old))
	_, err = store.ConfirmTOTP(t.Context(), "operador", old, 0, nil)
	must(t, err)
	must(t, store.SetTOTPNuevo(t.Context(), "operador", old))
	due, err := store.ListSellados(t.Context(), []string{"old"}, 9)
	must(t, err)
	if len(due) != 4 {
		t.Fatalf("due is %+v", due)
	}
	fresh := cuentas.Sellado{Llave: "new", Datos: []byte("y")}
	for _, each := range due {
		stale := each
		stale.Sellado.Datos = []byte("before")
		must(t, store.ReplaceSellado(t.Context(), stale, fresh))
	}
	counts, err := store.CountSellados(t.Context())
	must(t, err)
	if counts["old"] != 4 || counts["new"] != 0 {
		t.Errorf("sealed by %v after what was read had changed", counts)
	}
	for _, each := range due {
		must(t, store.ReplaceSellado(t.Context(), each, fresh))
	}
	counts, err = store.CountSellados(t.Context())
	must(t, err)
	if counts["old"] != 0 || counts["new"] != 4 {
		t.Errorf("sealed by %v", counts)
	}
}

// An enrolment that was begun outlives the key that sealed it.
func TestStore_ReplaceSellado_ofAnEnrolment(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	must(t, store.CreateUsuario(t.Context(), cuentas.Usuario{Usuario: "operador", Hash: "$argon2id$x"}))
	must(t, store.SetTOTPNuevo(t.Context(), "operador", cuentas.Sellado{Llave: "old", Datos: []byte("x")}))
	due, err := store.ListSellados(t.Context(), []string{"old"}, 9)
	must(t, err)
	if len(due) != 1 || due[0].Clase != cuentas.SelladoTOTPNuevo || due[0].Recurso != "operador" {
		t.Fatalf("due is %+v", due)
	}
	must(t, store.ReplaceSellado(t.Context(), due[0], cuentas.Sellado{Llave: "new", Datos: []byte("y")}))
	_, err = store.ConfirmTOTP(t.Context(), "operador", cuentas.Sellado{Datos: []byte("y")}, 1, nil)
	must(t, err)
	counts, err := store.CountSellados(t.Context())
	must(t, err)
	if len(counts) != 1 || counts["new"] != 1 {
		t.Errorf("sealed by %v", counts)
	}
}
