package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	newSinAbrir = `
INSERT INTO reportes_sin_abrir AS s (empresa_id, huella, origen, reporte_id, defectos)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (empresa_id, huella) `

	// A list repeats what it said; a refusal stands anew.
	listedSinAbrir  = newSinAbrir + `DO NOTHING`
	refusedSinAbrir = newSinAbrir + `
DO UPDATE SET origen = excluded.origen, defectos = excluded.defectos, ocurrido_en = excluded.ocurrido_en, revisado_en = NULL`
)

func (s *Store) queueSinAbrir(batch *pgx.Batch, statement string, empresa tenant.EmpresaID, r reportes.SinAbrir) {
	if r.Defectos == nil {
		r.Defectos = []string{}
	}
	batch.Queue(statement, string(empresa), s.huellas.Huella("sin_abrir", r.Referencia), string(r.Origen), null(r.ReporteID), r.Defectos)
}

// SaveSinAbrir implements [resincronizacion.Store].
func (s *Store) SaveSinAbrir(ctx context.Context, empresa tenant.EmpresaID, entradas []reportes.SinAbrir) error {
	if len(entradas) == 0 {
		return nil
	}
	return s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		var batch pgx.Batch
		for _, r := range entradas {
			s.queueSinAbrir(&batch, listedSinAbrir, empresa, r)
		}
		return tx.SendBatch(ctx, &batch).Close()
	})
}

// SaveRechazo keeps an activation that was refused, with its entry of the Bitácora.
func (s *Store) SaveRechazo(ctx context.Context, a bitacora.Asiento, r reportes.SinAbrir) error {
	err := s.db.InEmpresa(ctx, a.EmpresaID, func(tx pgx.Tx) error {
		err := insertAsiento(ctx, tx, a)
		if err != nil {
			return err
		}
		var batch pgx.Batch
		s.queueSinAbrir(&batch, refusedSinAbrir, a.EmpresaID, r)
		return tx.SendBatch(ctx, &batch).Close()
	})
	if err != nil {
		return fmt.Errorf("keep refused activation: %w", err)
	}
	return nil
}

// reviewSinAbrir reads reportes_sin_abrir_pendientes_idx, the oldest first.
const reviewSinAbrir = `
UPDATE reportes_sin_abrir SET revisado_en = statement_timestamp()
WHERE empresa_id = $1 AND revisado_en IS NULL AND huella = ANY (ARRAY (
	SELECT huella FROM reportes_sin_abrir WHERE empresa_id = $1 AND revisado_en IS NULL
	ORDER BY ocurrido_en, huella LIMIT $2))
RETURNING origen, coalesce(reporte_id, ''), defectos, ocurrido_en`

// ReviewSinAbrir implements [seguimiento.Store].
func (s *Store) ReviewSinAbrir(ctx context.Context, empresa tenant.EmpresaID, most int) ([]reportes.SinAbrir, error) {
	var reviewed []reportes.SinAbrir
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, reviewSinAbrir, string(empresa), most)
		if err != nil {
			return err
		}
		reviewed, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (reportes.SinAbrir, error) {
			var r reportes.SinAbrir
			err := row.Scan(&r.Origen, &r.ReporteID, &r.Defectos, &r.OcurridoEn)
			return r, err
		})
		if err != nil {
			return err
		}
		return insertAsiento(ctx, tx, bitacora.Asiento{
			EmpresaID: empresa, Tipo: bitacora.AsientoCambio, Accion: "sin_abrir_revisados",
			Datos: map[string]any{"revisados": len(reviewed)},
		})
	})
	if err != nil {
		return nil, fmt.Errorf("review what opened no search: %w", err)
	}
	return reviewed, nil
}
