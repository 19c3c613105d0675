package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

const (
	// forgottenRows is how many Casos one transaction looks after.
	forgottenRows = 200
	// forgottenSearches is how many Casos are looked at before others get their turn.
	forgottenSearches = 20
)

// CasoKey names a Caso of any institution; a sweep goes by it.
type CasoKey struct {
	EmpresaID tenant.EmpresaID
	ID        registros.CasoID
}

// porBuscar are the Casos whose search is due; it reads casos_por_buscar_idx alone.
const porBuscar = `
	SELECT empresa_id, id FROM casos
	WHERE estado <> 'cerrado' AND buscado_en IS NULL AND (empresa_id, id) > ($1, $2)
	ORDER BY empresa_id, id LIMIT $3`

// SearchForgotten goes on with the searches that are due, across all institutions, as a batch
// of [jobs.Sweep]. Each was asked for when it arose; this is the net beneath, for jobs that
// an operator deleted or a restored backup lacks. To search beside a job does no harm.
func (s *Store) SearchForgotten(ctx context.Context, from CasoKey) (next CasoKey, last bool, err error) {
	var keys []CasoKey
	err = s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, porBuscar, string(from.EmpresaID), from.ID, forgottenSearches)
		if err != nil {
			return err
		}
		keys, err = pgx.CollectRows(rows, pgx.RowToStructByPos[CasoKey])
		return err
	})
	if err != nil {
		return from, false, fmt.Errorf("look for forgotten searches: %w", err)
	}
	for _, key := range keys {
		left, err := s.SearchCaso(ctx, key.EmpresaID, key.ID)
		if err != nil || left {
			return from, false, err
		}
		from = key
	}
	return from, len(keys) < forgottenSearches, nil
}

// EnqueueForgotten asks for every delivery that is due, across all institutions, as a batch of
// [jobs.Sweep]; it is to deliveries what SearchForgotten is to searches. Most have their job,
// and the queue takes no second one: that costs less than to look for it.
func (s *Store) EnqueueForgotten(ctx context.Context, from CasoKey) (next CasoKey, last bool, err error) {
	var keys []CasoKey
	err = s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		var err error
		keys, err = readPendientes(ctx, tx, from)
		if err != nil || len(keys) == 0 {
			return err
		}
		due, err := lockDeliverables(ctx, tx, keys)
		if err != nil {
			return err
		}
		for empresa, casos := range byEmpresa(due) {
			err = s.queue.DeliverCasos(ctx, tx, empresa, casos)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return from, false, fmt.Errorf("enqueue forgotten deliveries: %w", err)
	}
	if len(keys) < forgottenRows {
		return from, true, nil
	}
	return keys[len(keys)-1], false, nil
}

// pendientes are the Casos that have something to tell: a Coincidencia, or the end of their
// search. The first are read by jumping from Caso to Caso in coincidencias_pendientes_idx,
// however many Coincidencias each has; the others from casos_por_finalizar_idx.
const pendientes = `
WITH RECURSIVE con_pendientes AS (
	(SELECT empresa_id, caso_id, 1 AS n FROM coincidencias
	WHERE estado = 'pendiente' AND (empresa_id, caso_id) > ($1, $2)
	ORDER BY empresa_id, caso_id LIMIT 1)
	UNION ALL
	SELECT m.empresa_id, m.caso_id, p.n + 1 FROM con_pendientes p, LATERAL (
		SELECT empresa_id, caso_id FROM coincidencias
		WHERE estado = 'pendiente' AND (empresa_id, caso_id) > (p.empresa_id, p.caso_id)
		ORDER BY empresa_id, caso_id LIMIT 1) m
	WHERE p.n < $3
), por_finalizar AS (
	SELECT empresa_id, id FROM casos
	WHERE estado <> 'cerrado' AND finalizacion = 'pendiente' AND (empresa_id, id) > ($1, $2)
	ORDER BY empresa_id, id LIMIT $3
)
SELECT empresa_id, caso_id FROM con_pendientes UNION SELECT empresa_id, id FROM por_finalizar
ORDER BY empresa_id, caso_id LIMIT $3`

func readPendientes(ctx context.Context, tx pgx.Tx, from CasoKey) ([]CasoKey, error) {
	rows, err := tx.Query(ctx, pendientes, string(from.EmpresaID), from.ID, forgottenRows)
	if err != nil {
		return nil, fmt.Errorf("look for what is pending: %w", err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[CasoKey])
	if err != nil {
		return nil, fmt.Errorf("look for what is pending: %w", err)
	}
	return keys, nil
}

// deliverables are those Casos that have been searched, locked in the order given, which is
// that in which all lock them. One that is locked is being worked on, and not forgotten.
const deliverables = `
SELECT k.empresa_id, k.id
FROM unnest($1::text[], $2::uuid[]) AS k (empresa_id, id), LATERAL (
	SELECT FROM casos
	WHERE empresa_id = k.empresa_id AND id = k.id AND estado <> 'cerrado' AND ` + phasesSearched + `
	FOR UPDATE SKIP LOCKED
) c`

func lockDeliverables(ctx context.Context, tx pgx.Tx, keys []CasoKey) ([]CasoKey, error) {
	empresas, casos := split(keys)
	rows, err := tx.Query(ctx, deliverables, empresas, casos)
	if err != nil {
		return nil, fmt.Errorf("look for deliveries: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[CasoKey])
	if err != nil {
		return nil, fmt.Errorf("look for deliveries: %w", err)
	}
	return found, nil
}

func split(keys []CasoKey) (empresas []string, casos []registros.CasoID) {
	for _, key := range keys {
		empresas, casos = append(empresas, string(key.EmpresaID)), append(casos, key.ID)
	}
	return empresas, casos
}

func byEmpresa(keys []CasoKey) map[tenant.EmpresaID][]registros.CasoID {
	grouped := map[tenant.EmpresaID][]registros.CasoID{}
	for _, key := range keys {
		grouped[key.EmpresaID] = append(grouped[key.EmpresaID], key.ID)
	}
	return grouped
}
