package postgres

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// The application's role, whatever it is made to run, adds no seal that does not continue the chain:
// the evidence of the institution would not be signed any more.
func TestCadena_theApplicationAddsNoSealThatIsNone(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	seal(t, store, empresaA)
	for n := range 3 {
		must(t, store.RecordAsiento(t.Context(), bitacora.Asiento{EmpresaID: empresaA, Tipo: bitacora.AsientoCambio, Accion: "n" + strconv.Itoa(n)}))
	}
	tramo := waiting(t, store, empresaA)
	sealed := tramo.Primero
	ids := make([]uuid.UUID, 0, 3)
	for _, a := range tramo.Asientos {
		ids = append(ids, a.ID)
	}
	reversed := slices.Clone(ids)
	slices.Reverse(reversed)
	const sellar = `SELECT bitacora_sellar($1, $2, $3, $4)`
	const insufficient, check = "42501", "23514"
	for name, tt := range map[string]struct {
		statement string
		args      []any
		code      string
	}{
		"inserted": {`INSERT INTO bitacora_sellos (empresa_id, primero, ultimo, asientos, hash) VALUES ($1, $2::bigint, $2::bigint + 2, $3, $4)`,
			[]any{string(empresaA), sealed, ids, tramo.Hash[:]}, insufficient},
		"waiting no more":     {`DELETE FROM bitacora_por_sellar WHERE empresa_id = $1`, []any{string(empresaA)}, insufficient},
		"another hash":        {sellar, []any{string(empresaA), sealed, ids, make([]byte, 32)}, check},
		"no hash":             {sellar, []any{string(empresaA), sealed, ids, nil}, check},
		"another number":      {sellar, []any{string(empresaA), sealed + 1, ids, tramo.Hash[:]}, check},
		"a number again":      {sellar, []any{string(empresaA), sealed - 1, ids, tramo.Hash[:]}, check},
		"another order":       {sellar, []any{string(empresaA), sealed, reversed, tramo.Hash[:]}, check},
		"an entry of nobody":  {sellar, []any{string(empresaA), sealed, append(slices.Clone(ids), uuid.New()), tramo.Hash[:]}, check},
		"an entry twice":      {sellar, []any{string(empresaA), sealed, append(slices.Clone(ids), ids[2]), tramo.Hash[:]}, check},
		"no entry":            {sellar, []any{string(empresaA), sealed, []uuid.UUID{}, tramo.Anterior[:]}, check},
		"another institution": {sellar, []any{string(empresaB), int64(1), ids, tramo.Hash[:]}, insufficient},
	} {
		err := store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), tt.statement, tt.args...)
			return err
		})
		if refused, _ := errors.AsType[*pgconn.PgError](err); refused == nil || refused.Code != tt.code {
			t.Errorf("%s: got %v, want %s", name, err, tt.code)
		}
	}
	_, all, err := chain(t, store, empresaA, bitacora.Periodo{})
	must(t, err)
	wantWhole(t, all, asientos(t, store, empresaA))
}

// waiting is the seal that would be next.
func waiting(t *testing.T, store *Store, empresa tenant.EmpresaID) (next bitacora.Sello) {
	t.Helper()
	must(t, store.db.InEmpresa(t.Context(), empresa, func(tx pgx.Tx) error {
		all, err := queryAsientos(t.Context(), tx, `SELECT `+asientoColumns+` FROM bitacora WHERE empresa_id = $1 AND id = ANY (ARRAY(
			SELECT id FROM bitacora_por_sellar WHERE empresa_id = $1))`, string(empresa))
		if err != nil {
			return err
		}
		var ultimo int64
		var hash []byte
		err = tx.QueryRow(t.Context(), `SELECT ultimo, hash FROM bitacora_sellos WHERE empresa_id = $1 ORDER BY primero DESC LIMIT 1`,
			string(empresa)).Scan(&ultimo, &hash)
		next = bitacora.Seal(hashOf(hash), ultimo+1, all)
		return err
	}))
	return next
}

// What an entry may have, the database chains as the service does: a difference would leave it
// unsealed for ever.
func TestCadena_theDatabaseChainsEveryEntry(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		a := bitacora.Asiento{
			ID: pg.NewID(), EmpresaID: empresaA, Tipo: bitacora.AsientoCambio, Accion: "x" + text(random), Actor: text(random),
			RequestID: text(random), ReporteID: text(random), Recurso: text(random), Motivo: text(random), Status: random.IntN(3) * 200,
			Duracion: 1e6 * 37 * (1 << random.IntN(3)), Datos: map[string]any{},
		}
		for range random.IntN(4) {
			a.Datos[text(random)] = value(random, 3)
		}
		must(t, store.RecordAsiento(t.Context(), a))
	}
	_, all, err := chain(t, store, empresaA, bitacora.Periodo{})
	must(t, err)
	wantWhole(t, all, asientos(t, store, empresaA))
}

// text has what JSON escapes, here or there, and names whose order depends on how they are compared.
func text(random *rand.Rand) string {
	letters := []rune("aZñ_ 9é\"\\/<>&\b\f\n\r\t\x01\x1f\x7f\u0080\u2028\u2029\uffff\U0001f600")
	var out []rune
	for range random.IntN(12) {
		out = append(out, letters[random.IntN(len(letters))])
	}
	return string(out)
}

func value(random *rand.Rand, depth int) any {
	numbers := []string{
		"0", "-0", "1", "-17", "1.50", "0.1", "1e5", "1E+2", "9007199254740993", "123456789012345678901", "999999999999999999999", "1e21", "1.25e30",
		"0.000001", "0.0000001", "1.5e-10", "-2.5e-7", "5e-324", "1.7976931348623157e308", "100000000000000000000",
	}
	switch random.IntN(8) {
	case 0:
		return nil
	case 1:
		return random.IntN(2) == 0
	case 2, 3:
		return json.Number(numbers[random.IntN(len(numbers))])
	case 4:
		return random.NormFloat64() * 1e9
	case 5:
		if depth > 0 {
			return []any{value(random, depth-1), value(random, depth-1)}
		}
	case 6:
		if depth > 0 {
			return map[string]any{text(random): value(random, depth-1), text(random): value(random, depth-1)}
		}
	}
	return text(random)
}
