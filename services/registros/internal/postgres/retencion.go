package postgres

import (
	"context"
	"fmt"
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
		purged, last = 0, true
		due, err := findDepurables(ctx, tx, retention)
		if err != nil {
			return err
		}
		for _, empresa := range due.Empresas {
			casos, err := readCasos(ctx, tx, lockedDepurables, string(empresa), due.IDs[empresa])
			if err != nil {
				return err
			}
			if len(casos) == 0 {
				continue
			}
			last = false
			done, err := purgeCasos(ctx, tx, empresa, casos)
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

const (
	// depurables are the Casos that are due, of all institutions; it reads casos_por_depurar_idx.
	depurables = `
	SELECT empresa_id, id, coincidencias FROM casos
	WHERE estado = 'cerrado' AND depurado_en IS NULL AND cerrado_en < now() - $1::interval
	ORDER BY cerrado_en LIMIT $2`

	// lockedDepurables are those of an institution that are due still, in the order in which all
	// lock them, but for those that somebody is working on.
	lockedDepurables = `
	SELECT id FROM casos
	WHERE empresa_id = $1 AND id = ANY ($2) AND estado = 'cerrado' AND depurado_en IS NULL
	ORDER BY id FOR UPDATE SKIP LOCKED`
)

// findDepurables names Casos that are due, as many as have purgeCoincidenciasRows together;
// one with more comes alone.
func findDepurables(ctx context.Context, tx pgx.Tx, retention time.Duration) (due pg.Due[registros.CasoID], err error) {
	rows, err := tx.Query(ctx, depurables, retention, purgeCasosRows)
	if err != nil {
		return due, fmt.Errorf("look for casos: %w", err)
	}
	var key CasoKey
	var coincidencias, total int
	_, err = pgx.ForEachRow(rows, []any{&key.EmpresaID, &key.ID, &coincidencias}, func() error {
		total += coincidencias
		if due.Total == 0 || total <= purgeCoincidenciasRows {
			due.Add(key.EmpresaID, key.ID)
		}
		return nil
	})
	if err != nil {
		return due, fmt.Errorf("look for casos: %w", err)
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
		UPDATE coincidencias SET curp = $3, folio = '', datos = '{}', detalle = NULL
		WHERE empresa_id = $1 AND caso_id = ANY ($2) AND fase = 1`, string(empresa), casos, manual.CURPDepurada)
	if err != nil {
		return false, fmt.Errorf("empty coincidencias of phase 1: %w", err)
	}
	tag, err := tx.Exec(ctx, `
		UPDATE coincidencias SET curp = $3, folio = '', datos = '{}', detalle = NULL, tipo_evento = ''
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
// of Registros; in a cluster, of each of its parts.
const purgeBlocks = 128

// viejo holds for a Registro v of before $3 that no phase needs any more. What is newer is
// looked up in registros_persona_idx, and who is searched for in casos_abiertos_idx.
const viejo = `v.fecha_evento < $3
	AND EXISTS (
		SELECT FROM registros n
		WHERE n.empresa_id = v.empresa_id AND n.curp = v.curp AND (n.fecha_evento, n.id) > (v.fecha_evento, v.id))
	AND NOT EXISTS (
		SELECT FROM casos c
		WHERE c.empresa_id = v.empresa_id AND c.curp = v.curp AND c.estado <> 'cerrado')`

const (
	// findViejos reads a stretch of the table as it lies on the disk: a key would be a
	// person's, and is not to be kept with a job.
	findViejos = `
	SELECT empresa_id, folio FROM registros v
	WHERE ctid >= format('(%s,0)', $1::bigint)::tid AND ctid < format('(%s,0)', $2::bigint)::tid AND ` + viejo

	// deleteViejos passes over what somebody is writing, because batches lock in another order.
	deleteViejos = `
	DELETE FROM registros WHERE empresa_id = $1 AND fecha_evento < $3 AND folio = ANY (ARRAY (
		SELECT folio FROM registros v WHERE empresa_id = $1 AND folio = ANY ($2) AND ` + viejo + ` FOR UPDATE SKIP LOCKED))`
)

// PurgeRegistros deletes Registros of events before a day, which phase 2 does not look at any
// more. The newest of each person stays, because phase 1 has no window and would tell it. So
// do those of a person who is being searched for: deleted and sent again they would look
// new, and be told twice. It is a batch of [jobs.Sweep] that goes by the table's blocks, and
// tells how many Registros were deleted.
func (s *Store) PurgeRegistros(ctx context.Context, before manual.Fecha, from int64) (next int64, deleted int, last bool, err error) {
	next = from + purgeBlocks
	err = s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		due, err := pg.QueryDue[registros.Folio](ctx, tx, findViejos, from, next, pg.Date(before))
		if err != nil {
			return err
		}
		deleted = 0
		for _, empresa := range due.Empresas {
			tag, err := tx.Exec(ctx, deleteViejos, string(empresa), due.IDs[empresa], pg.Date(before))
			if err != nil {
				return fmt.Errorf("delete registros: %w", err)
			}
			err = countDeleted(ctx, tx, empresa, int(tag.RowsAffected()))
			if err != nil {
				return err
			}
			deleted += int(tag.RowsAffected())
		}
		blocks, err := s.db.LargestPart(ctx, tx, "registros")
		last = blocks <= next
		return err
	})
	if err != nil {
		return from, 0, false, fmt.Errorf("purge registros: %w", err)
	}
	return next, deleted, last, nil
}
