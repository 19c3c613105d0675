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

// purgeBatch bounds one transaction of a purge, so that it holds nobody up for long.
const purgeBatch = 200

// PurgeCasos removes the personal data of Casos that were closed so long ago, and of their
// Coincidencias: the purpose for which it was given has ended (pui.md 3.3). It ends when
// there is nothing left, or with ctx; then the next run goes on. It tells how many they were,
// also with an error.
func (s *Store) PurgeCasos(ctx context.Context, retention time.Duration) (total int, err error) {
	for {
		var purged []casoKey
		err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
			var err error
			purged, err = purgeCasos(ctx, tx, retention)
			return err
		})
		if err != nil {
			return total, fmt.Errorf("purge casos: %w", err)
		}
		total += len(purged)
		if len(purged) < purgeBatch {
			return total, nil
		}
	}
}

func purgeCasos(ctx context.Context, tx pgx.Tx, retention time.Duration) ([]casoKey, error) {
	rows, err := tx.Query(ctx, `
		UPDATE casos c SET curp = $3, persona = '{}', depurado_en = now(), actualizado_en = now(),
			fecha_desaparicion = NULL, historica_desde = NULL, historica_hasta = NULL,
			continua_desde = (activado_en AT TIME ZONE 'America/Mexico_City')::date
		FROM (
			SELECT empresa_id, id FROM casos
			WHERE estado = 'cerrado' AND depurado_en IS NULL AND cerrado_en < now() - $1::interval
			ORDER BY cerrado_en LIMIT $2 FOR UPDATE SKIP LOCKED
		) due
		WHERE c.empresa_id = due.empresa_id AND c.id = due.id
		RETURNING c.empresa_id, c.id`, retention, purgeBatch, registros.CURPDepurada)
	if err != nil {
		return nil, fmt.Errorf("empty casos: %w", err)
	}
	purged, err := pgx.CollectRows(rows, pgx.RowToStructByPos[casoKey])
	if err != nil {
		return nil, fmt.Errorf("empty casos: %w", err)
	}
	casos := byEmpresa(purged)
	// Sorted, which is the order in which all lock their revisions.
	for _, empresa := range slices.Sorted(maps.Keys(casos)) {
		err = purgeCoincidencias(ctx, tx, empresa, casos[empresa])
		if err != nil {
			return nil, err
		}
		err = bumpRevision(ctx, tx, empresa)
		if err != nil {
			return nil, err
		}
	}
	return purged, nil
}

// purgeCoincidencias empties what was told. The two statements are one for each of the
// indexes that find a Caso's Coincidencias. The day of the event stays, as a time; what
// happened that day does not.
func purgeCoincidencias(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID) error {
	for _, statement := range []string{
		`UPDATE coincidencias SET curp = $3, datos = '{}', detalle = NULL
			WHERE empresa_id = $1 AND caso_id = ANY ($2) AND fase = 1`,
		`UPDATE coincidencias SET curp = $3, datos = '{}', detalle = NULL, tipo_evento = ''
			WHERE empresa_id = $1 AND caso_id = ANY ($2) AND fase <> 1`,
	} {
		_, err := tx.Exec(ctx, statement, string(empresa), casos, registros.CURPDepurada)
		if err != nil {
			return fmt.Errorf("empty coincidencias: %w", err)
		}
	}
	return nil
}

// purgeRegistrosBatch is how many Registros one transaction deletes.
const purgeRegistrosBatch = 2000

// PurgeRegistros deletes Registros of events before a day, which phase 2 does not look at any
// more. The newest of each person stays, because phase 1 has no window and would tell it. So
// do those of a person who is being searched for: deleted and sent again they would look
// new, and be told twice. Rows are taken in the order in which batches lock them. It tells how
// many they were, also with an error.
func (s *Store) PurgeRegistros(ctx context.Context, before manual.Fecha) (total int, err error) {
	for {
		var deleted int64
		err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, `
				DELETE FROM registros r USING (
					SELECT empresa_id, folio FROM registros v
					WHERE fecha_evento < $1 AND NOT EXISTS (
						SELECT FROM casos c
						WHERE c.empresa_id = v.empresa_id AND c.curp = v.curp AND c.estado <> 'cerrado')
					AND EXISTS (
						SELECT FROM registros n
						WHERE n.empresa_id = v.empresa_id AND n.curp = v.curp
							AND (n.fecha_evento, n.revision) > (v.fecha_evento, v.revision))
					ORDER BY empresa_id, folio LIMIT $2 FOR UPDATE SKIP LOCKED
				) due
				WHERE r.empresa_id = due.empresa_id AND r.folio = due.folio AND r.fecha_evento < $1`,
				pg.Date(before), purgeRegistrosBatch)
			deleted = tag.RowsAffected()
			return err
		})
		if err != nil {
			return total, fmt.Errorf("purge registros: %w", err)
		}
		total += int(deleted)
		if deleted < purgeRegistrosBatch {
			return total, nil
		}
	}
}
