//go:build !citus

package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
)

// What a cluster refuses: there no entry changes its institution, and no trigger writes elsewhere.

func TestCadena_findsAnEntryThatWasGivenToAnother(t *testing.T) {
	t.Parallel()
	wantFound(t, `UPDATE bitacora SET empresa_id = 'LAB020202CD2' `+entry)
}

// The entry of a writer that knows nothing of the queue, as the version before, is in it.
func TestCadena_noWriterForgetsTheQueue(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	must(t, store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `
			INSERT INTO bitacora (empresa_id, id, tipo, accion, actor) VALUES ($1, gen_random_uuid(), 'cambio', 'otra', 'x')`, string(empresaA))
		return err
	}))
	_, all, err := chain(t, store, empresaA, bitacora.Periodo{})
	must(t, err)
	wantWhole(t, all, asientos(t, store, empresaA))
}
