package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

const (
	// purgeCasosRows and purgeCoincidenciasRows bound one transaction of a purge, so that it
	// holds nobody up for long.
	purgeCasosRows         = 200
	purgeCoincidenciasRows = 2000
)

// PurgeCasos removes the personal data of Casos that were closed so long ago, and of their
// Coincidencias: the purpose for which it was given has ended (pui.md 3.3). It is a batch of
// [jobs.Sweep] and needs no key: what was purged is due no more. It tells how many Casos are
// done with, and whether none is left.
func (s *Store) PurgeCasos(ctx context.Context, retention time.Duration) (purged int, last bool, err error) {
	err = s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		purged = 0
		due, err := lockDepurables(ctx, tx, retention)
		if err != nil {
			return err
		}
		last = len(due) == 0
		casos := byEmpresa(due)
		// Sorted, which is the order in which all lock their revisions.
		for _, empresa := range slices.Sorted(maps.Keys(casos)) {
			done, err := purgeCasos(ctx, tx, empresa, casos[empresa])
			if err != nil {
				return err
			}
			purged += done
		}
		return nil
	})
	if err != nil {
		return 0, false, fmt.Errorf("purge casos: %w", err)
	}
	return purged, last, nil
}

// depurables are the Casos that are due; it reads casos_por_depurar_idx.
const depurables = `
	SELECT empresa_id, id, coincidencias FROM casos
	WHERE estado = 'cerrado' AND depurado_en IS NULL AND cerrado_en < now() - $1::interval
	ORDER BY cerrado_en LIMIT $2 FOR UPDATE SKIP LOCKED`

// lockDepurables names Casos that are due, as many as have purgeCoincidenciasRows together;
// one with more comes alone.
func lockDepurables(ctx context.Context, tx pgx.Tx, retention time.Duration) ([]CasoKey, error) {
	rows, err := tx.Query(ctx, depurables, retention, purgeCasosRows)
	if err != nil {
		return nil, fmt.Errorf("look for casos: %w", err)
	}
	var due []CasoKey
	var key CasoKey
	var coincidencias, total int
	_, err = pgx.ForEachRow(rows, []any{&key.EmpresaID, &key.ID, &coincidencias}, func() error {
		total += coincidencias
		if len(due) == 0 || total <= purgeCoincidenciasRows {
			due = append(due, key)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for casos: %w", err)
	}
	return due, nil
}

// purgeCasos empties Casos of an Empresa and tells how many: none while some of their
// Coincidencias are left for the next transaction.
func purgeCasos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID) (int, error) {
	left, err := purgeCoincidencias(ctx, tx, empresa, casos)
	if err != nil {
		return 0, err
	}
	if left {
		return 0, bumpRevision(ctx, tx, empresa)
	}
	_, err = tx.Exec(ctx, `
		UPDATE casos SET curp = $3, persona = '{}', depurado_en = now(), actualizado_en = now(),
			fecha_desaparicion = NULL, historica_desde = NULL, historica_hasta = NULL,
			continua_desde = (activado_en AT TIME ZONE 'America/Mexico_City')::date
		WHERE empresa_id = $1 AND id = ANY ($2)`, string(empresa), casos, manual.CURPDepurada)
	if err != nil {
		return 0, fmt.Errorf("empty casos: %w", err)
	}
	return len(casos), bumpRevision(ctx, tx, empresa)
}

// purgeCoincidencias empties what was told, at most purgeCoincidenciasRows of it, and tells
// whether more may be left. The two statements are one for each of the indexes that find a
// Caso's Coincidencias. The day of the event stays, as a time; what happened that day does
// not.
func purgeCoincidencias(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID) (left bool, err error) {
	_, err = tx.Exec(ctx, `
		UPDATE coincidencias SET curp = $3, datos = '{}', detalle = NULL
		WHERE empresa_id = $1 AND caso_id = ANY ($2) AND fase = 1`, string(empresa), casos, manual.CURPDepurada)
	if err != nil {
		return false, fmt.Errorf("empty coincidencias of phase 1: %w", err)
	}
	tag, err := tx.Exec(ctx, `
		UPDATE coincidencias SET curp = $3, datos = '{}', detalle = NULL, tipo_evento = ''
		WHERE empresa_id = $1 AND id = ANY (ARRAY (
			SELECT id FROM coincidencias
			WHERE empresa_id = $1 AND caso_id = ANY ($2) AND fase <> 1 AND curp <> $3 LIMIT $4))`,
		string(empresa), casos, manual.CURPDepurada, purgeCoincidenciasRows)
	if err != nil {
		return false, fmt.Errorf("empty coincidencias: %w", err)
	}
	return tag.RowsAffected() == purgeCoincidenciasRows, nil
}

// purgeBlocks is how much of the table one transaction looks at: a megabyte, some thousands
// of Registros.
const purgeBlocks = 128

// deleteViejos reads a stretch of the table as it lies on the disk: a key would be a
// person's, and is not to be kept with a job. What is newer is looked up in
// registros_persona_idx, and who is searched for in casos_abiertos_idx. What somebody is
// writing is passed over, because batches lock in another order.
const deleteViejos = `
	DELETE FROM registros r USING (
		SELECT empresa_id, folio FROM registros v
		WHERE ctid >= format('(%s,0)', $2::bigint)::tid AND ctid < format('(%s,0)', $3::bigint)::tid AND fecha_evento < $1
			AND EXISTS (
				SELECT FROM registros n
				WHERE n.empresa_id = v.empresa_id AND n.curp = v.curp AND (n.fecha_evento, n.id) > (v.fecha_evento, v.id))
			AND NOT EXISTS (
				SELECT FROM casos c
				WHERE c.empresa_id = v.empresa_id AND c.curp = v.curp AND c.estado <> 'cerrado')
		FOR UPDATE SKIP LOCKED
	) due
	WHERE r.empresa_id = due.empresa_id AND r.folio = due.folio AND r.fecha_evento < $1`

// PurgeRegistros deletes Registros of events before a day, which phase 2 does not look at any
// more. The newest of each person stays, because phase 1 has no window and would tell it. So
// do those of a person who is being searched for: deleted and sent again they would look
// new, and be told twice. It is a batch of [jobs.Sweep] that goes by the table's blocks, and
// tells how many Registros were deleted.
func (s *Store) PurgeRegistros(ctx context.Context, before manual.Fecha, from int64) (next int64, deleted int, last bool, err error) {
	next = from + purgeBlocks
	err = s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, deleteViejos, pg.Date(before), from, next)
		if err != nil {
			return err
		}
		deleted = int(tag.RowsAffected())
		return tx.QueryRow(ctx, `
			SELECT pg_relation_size('registros') <= $1 * current_setting('block_size')::bigint`, next).Scan(&last)
	})
	if err != nil {
		return from, 0, false, fmt.Errorf("purge registros: %w", err)
	}
	return next, deleted, last, nil
}
