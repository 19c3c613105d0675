package postgres

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
)

// origen is a try of a pair of address and base, and of an operator if codigo is not empty.
func origen(par, codigo string) cuentas.OrigenLogin {
	o := cuentas.OrigenLogin{Par: []byte(par)}
	if codigo != "" {
		o.Codigo = []byte(codigo)
	}
	return o
}

func TestStore_LoginWait(t *testing.T) {
	t.Parallel()
	limite := cuentas.LimiteLogin{Intentos: 3, Ventana: 15 * time.Minute}
	type failures map[*cuentas.OrigenLogin]int
	at := func(par, codigo string) *cuentas.OrigenLogin { return new(origen(par, codigo)) }
	tests := []struct {
		name     string
		failures failures
		try      cuentas.OrigenLogin
		refused  bool
	}{
		{"nothing failed", nil, origen("1", "u"), false},
		{"one below the limit", failures{at("1", ""): 2}, origen("1", ""), false},
		{"pair at its limit", failures{at("1", ""): 3}, origen("1", ""), true},
		{"pair at its limit, an operator's try", failures{at("1", ""): 3}, origen("1", "u"), true},
		{"pair at its limit with wrong codes", failures{at("1", ""): 1, at("1", "u"): 2}, origen("1", ""), true},
		{"another pair at its limit", failures{at("1", ""): 9}, origen("2", ""), false},
		{"another pair at its limit, an operator's try", failures{at("1", ""): 9}, origen("2", "u"), false},
		{"wrong codes at their limit from several pairs", failures{at("1", "u"): 1, at("2", "u"): 2}, origen("3", "u"), true},
		{"wrong codes one below it", failures{at("1", "u"): 2}, origen("3", "u"), false},
		{"wrong codes of another operator", failures{at("1", "u"): 9}, origen("2", "v"), false},
		{"wrong codes of anybody, the platform's try", failures{at("1", "u"): 9}, origen("2", ""), false},
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
	limite := cuentas.LimiteLogin{Intentos: 2, Ventana: 15 * time.Minute}
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
	wait, err := store.LoginWait(t.Context(), origen("1", ""), limite)
	if err != nil || wait != 0 {
		t.Errorf("one within the window: wait %v, %v", wait, err)
	}
	failAt(5 * time.Minute)
	wait, err = store.LoginWait(t.Context(), origen("1", ""), limite)
	if err != nil || wait > 5*time.Minute || wait < 4*time.Minute {
		t.Errorf("two within the window: wait %v, %v; want until the older one leaves it", wait, err)
	}

	must(t, store.ForgetLoginFailures(t.Context(), limite.Ventana))
	if left := countFailures(t, store); left != 2 {
		t.Errorf("%d failures are left, want 2", left)
	}
}

func countFailures(t *testing.T, store *Store) (n int) {
	t.Helper()
	must(t, store.db.AcrossEmpresas(t.Context(), func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT count(*) FROM logins_fallidos`).Scan(&n)
	}))
	return n
}

// What a flood left behind goes in the next purge, however much it is; a limit reads no more
// of it than the limit's own number of rows.
func TestStore_ForgetLoginFailures_afterAFlood(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	const old, recent = 3*forgetBatch + 7, 20_000
	must(t, store.db.AcrossEmpresas(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `
			INSERT INTO logins_fallidos (huella_ip, huella_usuario, ocurrido_en)
			SELECT sha256((n % 2000)::text::bytea), '', clock_timestamp() - CASE WHEN n <= $1::int THEN interval '1 hour' ELSE interval '0' END
			FROM generate_series(1, $1::int + $2::int) n`, old, recent)
		return err
	}))
	must(t, store.ForgetLoginFailures(t.Context(), 15*time.Minute))
	if left := countFailures(t, store); left != recent {
		t.Errorf("%d failures are left, want %d", left, recent)
	}
	must(t, store.db.AcrossEmpresas(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `SET LOCAL plan_cache_mode = force_generic_plan`)
		must(t, err)
		rows, err := tx.Query(t.Context(), `EXPLAIN `+loginWait, []byte("1"), []byte("u"), 10, 15*time.Minute)
		must(t, err)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if text := strings.Join(plan, "\n"); strings.Contains(text, "Seq Scan") ||
			!strings.Contains(text, "logins_fallidos_ip_idx") || !strings.Contains(text, "logins_fallidos_usuario_idx") {
			t.Errorf("plan:\n%s", text)
		}
		return err
	}))
}
