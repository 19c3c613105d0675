package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/pg"
)

// What waits, by its kind: read from indexes that have little else in them, and from the keys,
// which are few. A 300 needs nobody once its Reporte has ended.
const (
	listPorVencer = `SELECT empresa_id, 1, caduca_en, key_id FROM api_keys k WHERE ` + porVencer

	listContradichos = `
	SELECT empresa_id, count(*)::int, min(observada_en), '' FROM reportes WHERE observacion IS NOT NULL GROUP BY empresa_id`

	// What was activated since has its search.
	listSinAbrir = `
	SELECT empresa_id, count(*)::int, min(ocurrido_en), coalesce(reporte_id, '') FROM reportes_sin_abrir s
	WHERE revisado_en IS NULL AND NOT EXISTS (
		SELECT FROM reportes r WHERE r.empresa_id = s.empresa_id AND r.reporte_id = s.reporte_id AND r.activado_en > s.ocurrido_en)
	GROUP BY empresa_id, reporte_id`

	listVarias = `
	SELECT empresa_id, count(*)::int, min(decidido_en), '' FROM envios e
	WHERE status = 300 AND EXISTS (
		SELECT FROM reportes r WHERE r.empresa_id = e.empresa_id AND r.id = e.reporte_fila AND r.estado = 'activo')
	GROUP BY empresa_id`

	listAtascados = `
	SELECT empresa_id, count(*)::int, min(atascado_en), '' FROM envios
	WHERE atascado_en IS NOT NULL AND estado = 'pendiente' GROUP BY empresa_id`
)

// ListPendientes implements [seguimiento.Store].
func (s *Store) ListPendientes(ctx context.Context, caducidad time.Duration) ([]seguimiento.Pendiente, error) {
	var all []seguimiento.Pendiente
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		all = nil
		collect := func(tipo seguimiento.TipoPendiente) func(rows pgx.Rows) error {
			return func(rows pgx.Rows) error {
				found, err := pgx.CollectRows(rows, scanPendiente)
				for n := range found {
					found[n].Tipo = tipo
				}
				all = append(all, found...)
				return err
			}
		}
		var batch pgx.Batch
		batch.Queue(listPorVencer, caducidad).Query(collect(seguimiento.PendienteLlavePorVence))
		batch.Queue(listSinAbrir).Query(collect(seguimiento.PendienteSinAbrir))
		batch.Queue(listContradichos).Query(collect(seguimiento.PendienteContradichos))
		batch.Queue(listVarias).Query(collect(seguimiento.PendienteVarias))
		batch.Queue(listAtascados).Query(collect(seguimiento.PendienteAtascados))
		return tx.SendBatch(ctx, &batch).Close()
	})
	if err != nil {
		return nil, fmt.Errorf("list what waits: %w", err)
	}
	return all, nil
}

func scanPendiente(row pgx.CollectableRow) (seguimiento.Pendiente, error) {
	var p seguimiento.Pendiente
	var fecha *time.Time
	err := row.Scan(&p.EmpresaID, &p.Total, &fecha, &p.Recurso)
	p.Fecha = pg.Value(fecha)
	return p, err
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
