package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/integracion"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// purgeBatch bounds one transaction of a purge, so that it holds nobody up for long.
const purgeBatch = 200

// Depurados is how many rows a purge emptied.
type Depurados struct {
	Reportes int
	Avisos   int
}

// PurgeReportes removes the personal data of Reportes that were deactivated so long ago, and
// of the Avisos about them and of tests: the purpose for which it was given has ended
// (pui.md 3.3). It ends when there is nothing left, or with ctx; then the next run goes on.
// It tells what it emptied also with an error.
func (s *Store) PurgeReportes(ctx context.Context, retention time.Duration) (Depurados, error) {
	var d Depurados
	for _, each := range []struct {
		purge func(context.Context, pgx.Tx, time.Duration) (int, error)
		total *int
	}{{purgeReportes, &d.Reportes}, {purgeAvisos, &d.Avisos}} {
		for {
			var purged int
			err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
				var err error
				purged, err = each.purge(ctx, tx, retention)
				return err
			})
			if err != nil {
				return d, fmt.Errorf("purge reportes: %w", err)
			}
			*each.total += purged
			if purged < purgeBatch {
				break
			}
		}
	}
	return d, nil
}

// depurado is a Reporte that was just emptied.
type depurado struct {
	EmpresaID tenant.EmpresaID
	Fila      uuid.UUID
	ReporteID string
	Huella    []byte
}

func purgeReportes(ctx context.Context, tx pgx.Tx, retention time.Duration) (int, error) {
	rows, err := tx.Query(ctx, `
		UPDATE reportes r SET curp = $3, persona = '{}', fecha_desaparicion = NULL, depurado_en = clock_timestamp()
		FROM (
			SELECT empresa_id, id FROM reportes
			WHERE estado = 'desactivado' AND depurado_en IS NULL AND desactivado_en < clock_timestamp() - $1::interval
			ORDER BY desactivado_en LIMIT $2 FOR UPDATE SKIP LOCKED
		) due
		WHERE r.empresa_id = due.empresa_id AND r.id = due.id
		RETURNING r.empresa_id, r.id, r.reporte_id, r.curp_huella`, retention, purgeBatch, integracion.CURPDepurada)
	if err != nil {
		return 0, fmt.Errorf("empty reportes: %w", err)
	}
	purged, err := pgx.CollectRows(rows, pgx.RowToStructByPos[depurado])
	if err != nil {
		return 0, fmt.Errorf("empty reportes: %w", err)
	}
	for _, each := range purged {
		// What the platform said of a message may repeat the message.
		_, err = tx.Exec(ctx, `UPDATE envios SET detalle = NULL WHERE empresa_id = $1 AND reporte_fila = $2`,
			string(each.EmpresaID), each.Fila)
		if err != nil {
			return 0, fmt.Errorf("empty envios: %w", err)
		}
		err = insertAsiento(ctx, tx, integracion.Asiento{
			EmpresaID: each.EmpresaID, Tipo: integracion.AsientoCambio, Accion: integracion.AccionDepurar,
			ReporteID: each.ReporteID, HuellaCURP: each.Huella,
		})
		if err != nil {
			return 0, err
		}
	}
	return len(purged), nil
}

// purgeAvisos empties the Avisos of which no Reporte is active or was until lately.
func purgeAvisos(ctx context.Context, tx pgx.Tx, retention time.Duration) (int, error) {
	rows, err := tx.Query(ctx, `
		UPDATE avisos a SET curp = $3
		FROM (
			SELECT empresa_id, id FROM avisos v
			WHERE curp <> $3 AND recibido_en < clock_timestamp() - $1::interval AND NOT EXISTS (
				SELECT FROM reportes r
				WHERE r.empresa_id = v.empresa_id AND r.reporte_id = v.reporte_id
					AND (r.estado = 'activo' OR r.desactivado_en >= clock_timestamp() - $1::interval))
			ORDER BY recibido_en LIMIT $2
		) due
		WHERE a.empresa_id = due.empresa_id AND a.id = due.id
		RETURNING a.empresa_id`, retention, purgeBatch, integracion.CURPDepurada)
	if err != nil {
		return 0, fmt.Errorf("empty avisos: %w", err)
	}
	empresas, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("empty avisos: %w", err)
	}
	// In order, as all lock their revisions.
	_, err = tx.Exec(ctx, `
		UPDATE revisiones r SET revision = revision + 1, marca = gen_random_uuid()
		FROM (SELECT empresa_id FROM revisiones WHERE empresa_id = ANY ($1) ORDER BY empresa_id FOR UPDATE) touched
		WHERE r.empresa_id = touched.empresa_id`, empresas)
	if err != nil {
		return 0, fmt.Errorf("bump revisions: %w", err)
	}
	return len(empresas), nil
}
