package postgres

import (
	"testing"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
)

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
