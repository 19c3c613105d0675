package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// selloMax is how many entries are sealed together, and about how many are read at a time.
const selloMax = 500

// sealLock is the lock of those who seal one institution's chain. Who writes entries takes none.
const sealLock = `SELECT pg_advisory_xact_lock(hashtextextended('bitacora/' || $1, 0))`

// alongChain runs fn in a transaction of an institution that reads along indexes: row-level
// security makes each row that is looked at in vain dear, and there may be millions.
func (s *Store) alongChain(ctx context.Context, empresa tenant.EmpresaID, fn func(tx pgx.Tx) error) error {
	return s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		err := pg.AlongIndexes(ctx, tx)
		if err != nil {
			return err
		}
		return fn(tx)
	})
}

// Seal implements [bitacora.CadenaStore]. It logs where the chain stands, so that this is kept
// where who controls the database alone cannot change it.
func (s *Store) Seal(ctx context.Context, empresa tenant.EmpresaID) (last bool, err error) {
	var sello bitacora.Sello
	err = s.alongChain(ctx, empresa, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sealLock, string(empresa))
		if err != nil {
			return err
		}
		asientos, err := queryAsientos(ctx, tx, `
			SELECT `+asientoColumns+` FROM bitacora WHERE empresa_id = $1 AND id = ANY (ARRAY(
				SELECT id FROM bitacora_por_sellar WHERE empresa_id = $1 ORDER BY id LIMIT $2))`, string(empresa), selloMax)
		if err != nil {
			return err
		}
		last = len(asientos) < selloMax
		if len(asientos) == 0 {
			return nil
		}
		sello, err = sealAsientos(ctx, tx, empresa, asientos)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("seal bitacora: %w", err)
	}
	if len(sello.Asientos) > 0 {
		slog.InfoContext(ctx, "bitacora sealed", "empresa_id", empresa, "ultimo", sello.Ultimo(), "hash", sello.Hash.String())
	}
	return last, nil
}

func sealAsientos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, asientos []bitacora.Asiento) (bitacora.Sello, error) {
	var ultimo int64
	var anterior []byte
	err := tx.QueryRow(ctx, `SELECT ultimo, hash FROM bitacora_sellos WHERE empresa_id = $1 ORDER BY primero DESC LIMIT 1`,
		string(empresa)).Scan(&ultimo, &anterior)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return bitacora.Sello{}, err
	}
	sello := bitacora.Seal(hashOf(anterior), ultimo+1, asientos)
	ids := make([]uuid.UUID, len(sello.Asientos))
	for i, a := range sello.Asientos {
		ids[i] = a.ID
	}
	// The owner's function chains the entries too, and refuses another Hash.
	_, err = tx.Exec(ctx, `SELECT bitacora_sellar($1, $2, $3, $4)`, string(empresa), sello.Primero, ids, sello.Hash[:])
	return sello, err
}

// hashOf reads a hash; NULL is where every chain begins.
func hashOf(column []byte) bitacora.Hash {
	var hash bitacora.Hash
	copy(hash[:], column)
	return hash
}

// NextUnsealed gives the institution behind the given one, in order, that has entries which
// are not sealed; empty: there is none.
func (s *Store) NextUnsealed(ctx context.Context, after tenant.EmpresaID) (next tenant.EmpresaID, err error) {
	err = s.sweep(ctx, func(tx pgx.Tx) error {
		var found *string
		err := tx.QueryRow(ctx, `SELECT min(empresa_id) FROM bitacora_por_sellar WHERE empresa_id > $1`, string(after)).Scan(&found)
		next = tenant.EmpresaID(pg.Value(found))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("find what is to be sealed: %w", err)
	}
	return next, nil
}

// Count implements [bitacora.CadenaStore]. One statement sees each entry together with its
// place in the queue, or in its Sello.
func (s *Store) Count(ctx context.Context, empresa tenant.EmpresaID) (asientos, encadenados int64, err error) {
	err = s.alongChain(ctx, empresa, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			SELECT (SELECT count(*) FROM bitacora WHERE empresa_id = $1),
				(SELECT count(*) FROM bitacora_por_sellar WHERE empresa_id = $1) +
				coalesce((SELECT ultimo FROM bitacora_sellos WHERE empresa_id = $1 ORDER BY primero DESC LIMIT 1), 0)`,
			string(empresa)).Scan(&asientos, &encadenados)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("count bitacora: %w", err)
	}
	return asientos, encadenados, nil
}

// What of a Sello chooses it for a period: its entries are in the order of their times, so
// those before or behind the period are its first or last ones.
const (
	countOf = `(SELECT count(*) FROM bitacora b WHERE b.empresa_id = $1 AND b.id = ANY (s.asientos) AND b.ocurrido_en `
	timeOf  = `(SELECT b.ocurrido_en FROM bitacora b WHERE b.empresa_id = $1 AND b.id = s.asientos`
	desdeOf = timeOf + `[1])`
	hastaOf = timeOf + `[cardinality(s.asientos)])`
)

// FindTramo implements [bitacora.CadenaStore]. It goes by the entries' own times, which are
// chained: nobody can hide a Sello from it by what is noted beside.
func (s *Store) FindTramo(ctx context.Context, empresa tenant.EmpresaID, p bitacora.Periodo) (primero, ultimo int64, err error) {
	err = s.alongChain(ctx, empresa, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `
			SELECT coalesce((
				SELECT primero + `+countOf+`< $2) FROM bitacora_sellos s
				WHERE empresa_id = $1 AND `+hastaOf+` >= $2 ORDER BY primero LIMIT 1),
				(SELECT ultimo + 1 FROM bitacora_sellos WHERE empresa_id = $1 ORDER BY primero DESC LIMIT 1), 1)`,
			string(empresa), p.Desde).Scan(&primero)
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, `
			SELECT coalesce((
				SELECT ultimo - CASE WHEN $2::timestamptz IS NULL THEN 0 ELSE `+countOf+`>= $2) END FROM bitacora_sellos s
				WHERE empresa_id = $1 AND ($2::timestamptz IS NULL OR `+desdeOf+` < $2) ORDER BY primero DESC LIMIT 1), 0)`,
			string(empresa), pg.NullTime(p.Hasta)).Scan(&ultimo)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("find a period in the bitacora: %w", err)
	}
	return primero, max(ultimo, primero-1), nil
}

// selectSellos gives the Sello that holds a number and, if they are small, some that follow.
const selectSellos = `
SELECT s.primero, s.hash, s.asientos,
	(SELECT hash FROM bitacora_sellos WHERE empresa_id = $1 AND primero < s.primero ORDER BY primero DESC LIMIT 1)
FROM bitacora_sellos s, (
	SELECT primero FROM bitacora_sellos WHERE empresa_id = $1 AND primero <= $2 ORDER BY primero DESC LIMIT 1
) f
WHERE s.empresa_id = $1 AND s.primero >= f.primero AND s.primero < f.primero + $3
	AND (s.primero = f.primero OR s.ultimo < f.primero + $3) AND s.ultimo >= $2
ORDER BY s.primero`

// ReadSellos implements [bitacora.CadenaStore].
func (s *Store) ReadSellos(ctx context.Context, empresa tenant.EmpresaID, numero int64) ([]bitacora.Sello, error) {
	var sellos []bitacora.Sello
	err := s.alongChain(ctx, empresa, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, selectSellos, string(empresa), numero, selloMax)
		if err != nil {
			return err
		}
		var ids []uuid.UUID
		sellos, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (bitacora.Sello, error) {
			var sello bitacora.Sello
			var hash, anterior []byte
			var held []uuid.UUID
			err := row.Scan(&sello.Primero, &hash, &held, &anterior)
			sello.Hash, sello.Anterior = hashOf(hash), hashOf(anterior)
			sello.Asientos = make([]bitacora.Asiento, len(held))
			ids = append(ids, held...)
			return sello, err
		})
		if err != nil {
			return err
		}
		return fillSellos(ctx, tx, empresa, sellos, ids)
	})
	if err != nil {
		return nil, fmt.Errorf("read chain of the bitacora: %w", err)
	}
	return sellos, nil
}

// fillSellos reads the entries of Sellos, whose ids are given in order.
func fillSellos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, sellos []bitacora.Sello, ids []uuid.UUID) error {
	asientos, err := queryAsientos(ctx, tx, `SELECT `+asientoColumns+` FROM bitacora WHERE empresa_id = $1 AND id = ANY ($2)`,
		string(empresa), ids)
	if err != nil {
		return err
	}
	byID := make(map[uuid.UUID]bitacora.Asiento, len(asientos))
	for _, a := range asientos {
		byID[a.ID] = a
	}
	for _, sello := range sellos {
		for i := range sello.Asientos {
			sello.Asientos[i] = byID[ids[0]]
			ids = ids[1:]
		}
	}
	return nil
}
