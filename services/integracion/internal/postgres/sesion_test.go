package postgres

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/integracion"
)

func origen(ip, usuario string) integracion.OrigenLogin {
	return integracion.OrigenLogin{IP: []byte(ip), Usuario: []byte(usuario)}
}

func TestStore_LoginWait(t *testing.T) {
	t.Parallel()
	limite := integracion.LimiteLogin{Intentos: 3, Ventana: 15 * time.Minute}
	type failures map[*integracion.OrigenLogin]int
	at := func(ip, usuario string) *integracion.OrigenLogin { return new(origen(ip, usuario)) }
	tests := []struct {
		name     string
		failures failures
		try      integracion.OrigenLogin
		refused  bool
	}{
		{"nothing failed", nil, origen("1", "u"), false},
		{"one below the limit", failures{at("1", "u"): 2}, origen("1", "u"), false},
		{"address at its limit", failures{at("1", "u"): 3}, origen("1", "u"), true},
		{"address at its limit, other user", failures{at("1", "u"): 3}, origen("1", "v"), true},
		{"address at its limit over several users", failures{at("1", "u"): 1, at("1", "v"): 2}, origen("1", "w"), true},
		{"user at its limit, address had no part", failures{at("1", "u"): 3}, origen("2", "u"), false},
		{"user at its limit, address had a part", failures{at("1", "u"): 2, at("2", "u"): 1}, origen("2", "u"), true},
		{"user at its limit, address failed on another", failures{at("1", "u"): 3, at("2", "v"): 1}, origen("2", "u"), false},
		{"strangers", failures{at("1", "u"): 9}, origen("2", "v"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			store, _ := newStore(t)
			for o, times := range tt.failures {
				for range times {
					must(t, store.RecordLoginFailure(t.Context(), *o))
				}
			}
			wait, err := store.LoginWait(t.Context(), tt.try, limite)
			must(t, err)
			if (wait > 0) != tt.refused {
				t.Errorf("wait = %v, want refused %v", wait, tt.refused)
			}
			if tt.refused && (wait > limite.Ventana || wait < limite.Ventana-time.Minute) {
				t.Errorf("wait = %v, want the rest of the window", wait)
			}
		})
	}
}

func TestStore_LoginWait_forgetsWithTheWindow(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	limite := integracion.LimiteLogin{Intentos: 2, Ventana: 15 * time.Minute}
	failAt := func(ago time.Duration) {
		t.Helper()
		must(t, store.db.AcrossEmpresas(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `
				INSERT INTO logins_fallidos (huella_ip, huella_usuario, ocurrido_en)
				VALUES ('1', 'u', clock_timestamp() - $1::interval)`, ago)
			return err
		}))
	}
	failAt(20 * time.Minute)
	failAt(10 * time.Minute)
	wait, err := store.LoginWait(t.Context(), origen("1", "u"), limite)
	if err != nil || wait != 0 {
		t.Errorf("one within the window: wait %v, %v", wait, err)
	}
	failAt(5 * time.Minute)
	wait, err = store.LoginWait(t.Context(), origen("1", "u"), limite)
	if err != nil || wait > 5*time.Minute || wait < 4*time.Minute {
		t.Errorf("two within the window: wait %v, %v; want until the older one leaves it", wait, err)
	}

	must(t, store.ForgetLoginFailures(t.Context(), limite.Ventana))
	must(t, store.db.AcrossEmpresas(t.Context(), func(tx pgx.Tx) error {
		var left int
		must(t, tx.QueryRow(t.Context(), `SELECT count(*) FROM logins_fallidos`).Scan(&left))
		if left != 2 {
			t.Errorf("%d failures are left, want 2", left)
		}
		return nil
	}))
}
