package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// forgottenBatch is how many rows one transaction looks after.
const forgottenBatch = 500

// EnqueueForgottenReportes tells registros again how every Reporte stands that is active or
// ended lately, across all institutions. Each was told when it changed; this is the net
// beneath, for a job that an operator deleted. It costs a job and a call for each.
func (s *Store) EnqueueForgottenReportes(ctx context.Context) error {
	_, err := s.enqueueReportes(ctx, `estado = 'activo' OR desactivado_en > now() - interval '7 days'`)
	return err
}

// EnqueueReportes tells registros again how every Reporte stands, ended long ago or not,
// and gives their number. It is for a registros that was restored from a backup, which may
// lack Casos and have others open that ended since.
func (s *Store) EnqueueReportes(ctx context.Context) (int, error) {
	return s.enqueueReportes(ctx, `true`)
}

func (s *Store) enqueueReportes(ctx context.Context, condition string) (int, error) {
	enqueued := 0
	err := s.eachForgotten(ctx, `
		SELECT empresa_id, id::text FROM reportes
		WHERE (`+condition+`) AND (empresa_id, id::text) > ($1, $2)
		ORDER BY empresa_id, id::text LIMIT $3`,
		func(tx pgx.Tx, empresa tenant.EmpresaID, id string) error {
			fila, err := uuid.Parse(id)
			if err != nil {
				return err
			}
			enqueued++
			return s.queue.SyncCaso(ctx, tx, empresa, fila)
		})
	if err != nil {
		return enqueued, fmt.Errorf("enqueue reportes: %w", err)
	}
	return enqueued, nil
}

// EnqueueForgottenEventos takes up events that nobody processes, across all institutions;
// it reads the index eventos_folio_idx, which has the waiting ones alone.
func (s *Store) EnqueueForgottenEventos(ctx context.Context) error {
	// Of each folio the oldest: the next one is asked for once it is processed.
	err := s.eachForgotten(ctx, `
		SELECT empresa_id, id FROM eventos e
		WHERE estado = 'recibido' AND recibido_en < now() - interval '1 minute' AND (empresa_id, id) > ($1, $2)
			AND NOT EXISTS (
				SELECT FROM eventos before
				WHERE before.empresa_id = e.empresa_id AND before.folio = e.folio
					AND before.estado = 'recibido' AND before.secuencia < e.secuencia)
		ORDER BY empresa_id, id LIMIT $3`,
		func(tx pgx.Tx, empresa tenant.EmpresaID, id string) error {
			return s.queue.ProcessEvento(ctx, tx, empresa, id)
		})
	if err != nil {
		return fmt.Errorf("enqueue forgotten eventos: %w", err)
	}
	return nil
}

// forgottenKey names a row of any institution.
type forgottenKey struct {
	EmpresaID tenant.EmpresaID
	ID        string
}

// eachForgotten enqueues for all rows that a query finds, a batch a transaction. The query
// takes the last key and the size of the batch.
func (s *Store) eachForgotten(ctx context.Context, query string, enqueue func(tx pgx.Tx, empresa tenant.EmpresaID, id string) error) error {
	var last forgottenKey
	for {
		var batch []forgottenKey
		err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
			rows, err := tx.Query(ctx, query, string(last.EmpresaID), last.ID, forgottenBatch)
			if err != nil {
				return err
			}
			batch, err = pgx.CollectRows(rows, pgx.RowToStructByPos[forgottenKey])
			if err != nil {
				return err
			}
			for _, key := range batch {
				err = enqueue(tx, key.EmpresaID, key.ID)
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(batch) < forgottenBatch {
			return err
		}
		last = batch[len(batch)-1]
	}
}
