package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// forgottenBatch is how many Casos one transaction looks after, so that it locks them for
// a moment only, and so that a run which is cut short has got somewhere.
const forgottenBatch = 500

// unfinishedJob holds if a Caso has a job of a kind that is still to be done; it reads
// River's index on the arguments.
const unfinishedJob = `EXISTS (
	SELECT FROM river_job j
	WHERE j.kind = %s AND j.args @> jsonb_build_object('empresa_id', c.empresa_id, 'caso_id', c.id)
		AND j.state IN ('available', 'pending', 'retryable', 'running', 'scheduled'))`

// searchForgotten and deliveryForgotten hold for an open Caso that needs work which nobody
// has been asked for.
var (
	searchForgotten = `(c.basicos_en IS NULL OR c.historica_desde IS NOT NULL AND c.historica_en IS NULL)
		AND NOT ` + fmt.Sprintf(unfinishedJob, `'`+SearchCasoArgs{}.Kind()+`'`)
	deliveryForgotten = `c.basicos_en IS NOT NULL
		AND (c.finalizacion = 'pendiente' OR EXISTS (
			SELECT FROM coincidencias p
			WHERE p.empresa_id = c.empresa_id AND p.caso_id = c.id AND p.estado = 'pendiente'))
		AND NOT ` + fmt.Sprintf(unfinishedJob, `'`+DeliverCasoArgs{}.Kind()+`'`)
)

// EnqueueForgotten asks for every search and delivery that is due and that no job is for,
// across all institutions. Each was asked for when it arose; this is the net beneath, for
// jobs that an operator deleted or a restored backup lacks.
func (s *Store) EnqueueForgotten(ctx context.Context) error {
	err := s.eachForgotten(ctx, searchForgotten, func(tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID) error {
		return s.queue.SearchCasos(ctx, tx, empresa, casos)
	})
	if err != nil {
		return fmt.Errorf("enqueue forgotten searches: %w", err)
	}
	err = s.eachForgotten(ctx, deliveryForgotten, func(tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID) error {
		return s.queue.DeliverCasos(ctx, tx, empresa, casos)
	})
	if err != nil {
		return fmt.Errorf("enqueue forgotten deliveries: %w", err)
	}
	return nil
}

// casoKey names a Caso of any institution.
type casoKey struct {
	EmpresaID tenant.EmpresaID
	ID        registros.CasoID
}

// eachForgotten enqueues for all open Casos that fulfil a condition, a batch a transaction.
func (s *Store) eachForgotten(ctx context.Context, condition string, enqueue func(pgx.Tx, tenant.EmpresaID, []registros.CasoID) error) error {
	last := casoKey{ID: uuid.Nil}
	for {
		var batch []casoKey
		err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
			var err error
			batch, err = lockForgotten(ctx, tx, condition, last)
			if err != nil {
				return err
			}
			for empresa, casos := range byEmpresa(batch) {
				err = enqueue(tx, empresa, casos)
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

// lockForgotten names the next Casos in the order in which all lock them. One that is
// locked is being worked on, and not forgotten.
func lockForgotten(ctx context.Context, tx pgx.Tx, condition string, last casoKey) ([]casoKey, error) {
	rows, err := tx.Query(ctx, `
		SELECT c.empresa_id, c.id FROM casos c
		WHERE c.estado <> 'cerrado' AND (c.empresa_id, c.id) > ($1, $2) AND `+condition+`
		ORDER BY c.empresa_id, c.id LIMIT $3 FOR UPDATE SKIP LOCKED`, string(last.EmpresaID), last.ID, forgottenBatch)
	if err != nil {
		return nil, fmt.Errorf("look for casos: %w", err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[casoKey])
	if err != nil {
		return nil, fmt.Errorf("look for casos: %w", err)
	}
	return keys, nil
}

func byEmpresa(keys []casoKey) map[tenant.EmpresaID][]registros.CasoID {
	grouped := map[tenant.EmpresaID][]registros.CasoID{}
	for _, key := range keys {
		grouped[key.EmpresaID] = append(grouped[key.EmpresaID], key.ID)
	}
	return grouped
}
