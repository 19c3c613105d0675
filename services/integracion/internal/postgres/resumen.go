package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/pg"
)

// listPendientes reads indexes that have little else in them, and the keys, which are few. A
// 300 needs nobody once its Reporte has ended.
const listPendientes = `
	SELECT $2, empresa_id, 1, caduca_en, key_id FROM api_keys k WHERE ` + porVencer + `
	UNION ALL
	SELECT $3, empresa_id, count(*)::int, min(observada_en), '' FROM reportes WHERE observacion IS NOT NULL GROUP BY empresa_id
	UNION ALL
	SELECT $4, empresa_id, count(*)::int, min(decidido_en), '' FROM envios e
	WHERE status = 300 AND EXISTS (
		SELECT FROM reportes r WHERE r.empresa_id = e.empresa_id AND r.id = e.reporte_fila AND r.estado = 'activo')
	GROUP BY empresa_id`

// ListPendientes implements [seguimiento.Store].
func (s *Store) ListPendientes(ctx context.Context, caducidad time.Duration) ([]seguimiento.Pendiente, error) {
	var all []seguimiento.Pendiente
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, listPendientes, caducidad, string(seguimiento.PendienteLlavePorVence),
			string(seguimiento.PendienteContradichos), string(seguimiento.PendienteVarias))
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (seguimiento.Pendiente, error) {
			var p seguimiento.Pendiente
			var fecha *time.Time
			err := row.Scan(&p.Tipo, &p.EmpresaID, &p.Total, &fecha, &p.Recurso)
			p.Fecha = pg.Value(fecha)
			return p, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list what waits: %w", err)
	}
	return all, nil
}

// ListReportesDePersona implements [seguimiento.Store]. It reads reportes_curp_huella_idx.
func (s *Store) ListReportesDePersona(ctx context.Context, huella []byte) ([]seguimiento.ReporteDePersona, error) {
	var all []seguimiento.ReporteDePersona
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			SELECT empresa_id, reporte_id FROM reportes WHERE curp_huella = $1
			GROUP BY empresa_id, reporte_id ORDER BY max(activado_en) DESC, empresa_id, reporte_id`, huella)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[seguimiento.ReporteDePersona])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find reportes of a person: %w", err)
	}
	return all, nil
}
