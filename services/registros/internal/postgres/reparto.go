package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// In a cluster a batch is written by statements that each go whole to the worker which has the
// institution. One that does all of it would be taken apart by the coordinator, which carries
// what one part gives to the next: ten times the work for one Registro.
const (
	// drawNumbers numbers where all numbers come from: a worker's own would be out of order.
	drawNumbers = `
SELECT array_agg(id), array_agg(revision) FROM (
	SELECT nextval('registros_id_seq') AS id, nextval('registros_revision_seq') AS revision FROM generate_series(1, $1)
) n`

	newRegistros = `
INSERT INTO registros AS r (empresa_id, folio, id, curp, tipo_evento, fecha_evento, datos, huella, revision)
VALUES ($1, unnest($2::text[]), unnest($3::bigint[]), unnest($4::text[]), unnest($5::text[]), unnest($6::date[]),
	unnest($7::text[]::jsonb[]), unnest($8::bytea[]), unnest($9::bigint[]))` + overwrite

	// casosOfPersonas looks each person up in casos_abiertos_idx (see openCoincidencias).
	casosOfPersonas = `
SELECT c.* FROM unnest($2::text[]) AS p (curp), LATERAL (
	SELECT id, curp FROM casos
	WHERE empresa_id = $1 AND curp BETWEEN p.curp AND p.curp AND estado <> 'cerrado' ORDER BY curp
) c`

	newLote = `
INSERT INTO lotes (empresa_id, id, key_id, total, rechazados, creados, actualizados) VALUES ($1, $2, $3, $4, $5, $6, $7)`
)

// mergeSpread writes what is not stored already, as merge does.
func (e escritura) mergeSpread(ctx context.Context, tx pgx.Tx) (merged, error) {
	nueva, err := e.changed(ctx, tx)
	if err != nil {
		return merged{}, err
	}
	// In order, so that two batches with the same folios wait for each other.
	nueva.filas = slices.SortedFunc(slices.Values(nueva.filas), func(a, b fila) int { return strings.Compare(string(a.Folio), string(b.Folio)) })
	var m merged
	if len(nueva.filas) > 0 {
		m, err = nueva.writeSpread(ctx, tx)
	}
	if err != nil {
		return merged{}, err
	}
	var batch pgx.Batch
	if e.folios {
		batch.Queue(idsOf, string(e.empresa), foliosOf(e.filas)).Query(m.scanIDs)
	}
	if id, key := e.lote.ID, e.lote.KeyID; id != (registros.LoteID{}) {
		batch.Queue(newLote, string(e.empresa), id, key, e.lote.Total, e.lote.Rechazados, m.Creados, m.Actualizados)
	}
	if m.Creados > 0 {
		batch.Queue(addConteo, string(e.empresa), m.conteo, m.Creados)
	}
	err = tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return merged{}, fmt.Errorf("note lote: %w", err)
	}
	return m, nil
}

// writeSpread writes what changed, and finds the open Casos that it concerns.
func (e escritura) writeSpread(ctx context.Context, tx pgx.Tx) (m merged, err error) {
	var ids, revisiones []int64
	m.conteo = pg.NewID()
	var first pgx.Batch
	first.Queue(drawNumbers, len(e.filas)).QueryRow(func(row pgx.Row) error { return row.Scan(&ids, &revisiones) })
	first.Queue(sumConteos, string(e.empresa)).QueryRow(func(row pgx.Row) error { return row.Scan(&m.antes) })
	first.Queue(freeConteo, string(e.empresa)).QueryRow(func(row pgx.Row) error {
		err := row.Scan(&m.conteo)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	err = tx.SendBatch(ctx, &first).Close()
	if err != nil {
		return m, fmt.Errorf("number registros: %w", err)
	}
	folios, curps, tipos, fechas, datos, huellas := e.columns()
	abiertos := map[string][]registros.CasoID{}
	var batch pgx.Batch
	personas := slices.Compact(slices.Sorted(slices.Values(curps)))
	batch.Queue(casosOfPersonas, string(e.empresa), personas).Query(func(rows pgx.Rows) error {
		var curp string
		var caso registros.CasoID
		_, err := pgx.ForEachRow(rows, []any{&caso, &curp}, func() error {
			abiertos[curp] = append(abiertos[curp], caso)
			return nil
		})
		return err
	})
	batch.Queue(newRegistros, string(e.empresa), folios, ids, curps, tipos, fechas, datos, huellas, revisiones).Query(func(rows pgx.Rows) error {
		return m.scanWritten(rows, abiertos)
	})
	err = tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return m, fmt.Errorf("write registros: %w", err)
	}
	return m, nil
}

// scanWritten reads what was written, and pairs it with the open Casos of its person.
func (m *merged) scanWritten(rows pgx.Rows, abiertos map[string][]registros.CasoID) error {
	var folio registros.Folio
	var curp string
	var creado bool
	_, err := pgx.ForEachRow(rows, []any{&folio, &curp, &creado}, func() error {
		if creado {
			m.Creados++
			m.creados = append(m.creados, folio)
		} else {
			m.Actualizados++
			m.actualizados = append(m.actualizados, folio)
		}
		for _, caso := range abiertos[curp] {
			m.pares = append(m.pares, newPar(caso, folio))
		}
		return nil
	})
	slices.SortFunc(m.pares, func(a, b par) int {
		if order := slices.Compare(a.caso[:], b.caso[:]); order != 0 {
			return order
		}
		return strings.Compare(string(a.folio), string(b.folio))
	})
	return err
}
