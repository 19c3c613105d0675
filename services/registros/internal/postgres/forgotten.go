package postgres

import (
	"context"
	"fmt"
	"log/slog"

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

// nextPorBuscar is the first institution behind one that has a search due, or empty; porBuscar are
// those of its Casos, none while it is loading. Both read casos_por_buscar_idx alone.
const (
	nextPorBuscar = `
	SELECT coalesce(min(empresa_id), '') FROM casos WHERE estado <> 'cerrado' AND buscado_en IS NULL AND empresa_id > $1`

	porBuscar = `
	SELECT id FROM casos
	WHERE empresa_id = $1 AND estado <> 'cerrado' AND buscado_en IS NULL AND id > $2 AND ` + isLoaded + `
	ORDER BY id LIMIT $3`
)

// SearchForgotten goes on with the searches that are due, across all institutions, as a batch
// of [jobs.Sweep], of one institution at most. Each was asked for when it arose; this is the net
// beneath, for jobs that an operator deleted or a restored backup lacks. To search beside a job
// does no harm.
func (s *Store) SearchForgotten(ctx context.Context, from CasoKey) (next CasoKey, last bool, err error) {
	if from.EmpresaID != "" {
		next, last, err = s.searchForgotten(ctx, from)
		if err != nil || !last {
			return next, false, err
		}
	}
	next = CasoKey{}
	err = s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, nextPorBuscar, string(from.EmpresaID)).Scan(&next.EmpresaID)
	})
	if err != nil {
		return from, false, fmt.Errorf("look for forgotten searches: %w", err)
	}
	return next, next.EmpresaID == "", nil
}

// searchForgotten goes on with the searches of an institution that are due behind a key.
func (s *Store) searchForgotten(ctx context.Context, from CasoKey) (next CasoKey, last bool, err error) {
	var casos []registros.CasoID
	err = s.db.InEmpresaByKeys(ctx, from.EmpresaID, func(tx pgx.Tx) (err error) {
		casos, err = readCasos(ctx, tx, porBuscar, string(from.EmpresaID), from.ID, forgottenSearches)
		return err
	})
	if err != nil {
		return from, false, fmt.Errorf("look for forgotten searches: %w", err)
	}
	for _, caso := range casos {
		left, err := s.trySearch(ctx, from.EmpresaID, caso)
		if err != nil || left {
			return from, false, err
		}
		from.ID = caso
	}
	return from, len(casos) < forgottenSearches, nil
}

// trySearch is SearchCaso for one of many. A search that fails does not keep those behind it waiting:
// it is logged, and stays due.
func (s *Store) trySearch(ctx context.Context, empresa tenant.EmpresaID, caso registros.CasoID) (left bool, err error) {
	left, err = s.SearchCaso(ctx, empresa, caso)
	if err == nil || ctx.Err() != nil {
		return left, err
	}
	slog.ErrorContext(ctx, "search failed; it will run again", "empresa_id", empresa, "caso_id", caso, "error", err)
	return false, nil
}

// EnqueueForgotten asks for every delivery that is due, across all institutions, as a batch of
// [jobs.Sweep]; it is to deliveries what SearchForgotten is to searches. Most have their job,
// and the queue takes no second one: that costs less than to look for it. A batch is of one
// institution at most.
func (s *Store) EnqueueForgotten(ctx context.Context, from CasoKey) (next CasoKey, last bool, err error) {
	if from.EmpresaID != "" {
		next, last, err = s.enqueueForgotten(ctx, from, s.queue.DeliverCasos)
		if err != nil {
			return from, false, fmt.Errorf("enqueue forgotten deliveries: %w", err)
		}
		if !last {
			return next, false, nil
		}
	}
	next = CasoKey{}
	err = s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, nextConPendientes, string(from.EmpresaID)).Scan(&next.EmpresaID)
	})
	if err != nil {
		return from, false, fmt.Errorf("look for forgotten deliveries: %w", err)
	}
	return next, next.EmpresaID == "", nil
}

// nextConPendientes is the first institution behind one that has something to tell, or empty; it
// reads one row of each index that pendientes reads.
const nextConPendientes = `
SELECT coalesce(least(
	(SELECT min(empresa_id) FROM coincidencias WHERE estado = 'pendiente' AND empresa_id > $1),
	(SELECT min(empresa_id) FROM casos WHERE estado <> 'cerrado' AND finalizacion = 'pendiente' AND empresa_id > $1),
	(SELECT min(empresa_id) FROM casos WHERE estado <> 'cerrado' AND fin_apartado_hasta IS NOT NULL AND empresa_id > $1)), '')`

// WakeEntregas has the deliveries of an institution go on now that wait for a later time, and what
// was set aside be told again: the platform is back.
func (s *Store) WakeEntregas(ctx context.Context, empresa tenant.EmpresaID) error {
	var err error
	for n := 0; err == nil && n < len(wakeApartados); n++ {
		err = s.db.InEmpresaByKeys(ctx, empresa, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, wakeApartados[n], string(empresa))
			return err
		})
	}
	last := false
	for from := (CasoKey{EmpresaID: empresa}); err == nil && !last; {
		from, last, err = s.enqueueForgotten(ctx, from, s.queue.HurryCasos)
	}
	if err != nil {
		return fmt.Errorf("wake deliveries: %w", err)
	}
	return nil
}

// wakeApartados make what was set aside due, but for what is being worked on: no two wait for each
// other here.
var wakeApartados = [...]string{`
UPDATE coincidencias SET apartada_hasta = now() WHERE empresa_id = $1 AND id = ANY (ARRAY(
	SELECT id FROM coincidencias WHERE empresa_id = $1 AND estado = 'pendiente' AND apartada_hasta IS NOT NULL FOR UPDATE SKIP LOCKED))`, `
UPDATE casos SET fin_apartado_hasta = now() WHERE empresa_id = $1 AND id = ANY (ARRAY(
	SELECT id FROM casos WHERE empresa_id = $1 AND estado <> 'cerrado' AND fin_apartado_hasta IS NOT NULL FOR UPDATE SKIP LOCKED))`}

// enqueueForgotten asks for the deliveries of an institution that are due behind a key.
func (s *Store) enqueueForgotten(ctx context.Context, from CasoKey, enqueue enqueuer) (next CasoKey, last bool, err error) {
	next = from
	err = s.db.InEmpresaByKeys(ctx, from.EmpresaID, func(tx pgx.Tx) error {
		casos, err := readCasos(ctx, tx, pendientes, string(from.EmpresaID), from.ID, forgottenRows)
		last = len(casos) < forgottenRows
		if err != nil || len(casos) == 0 {
			return err
		}
		next.ID = casos[len(casos)-1]
		due, err := readCasos(ctx, tx, deliverables, string(from.EmpresaID), casos)
		if err != nil {
			return err
		}
		return enqueue(ctx, tx, from.EmpresaID, due)
	})
	return next, last, err
}

// enqueuer is how deliveries are asked for.
type enqueuer func(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID) error

// pendientes are the Casos of an institution that have something to tell: a Coincidencia, or
// the end of their search; while it is loading none has. The first are read by jumping from Caso to Caso in
// coincidencias_pendientes_idx, however many Coincidencias each has; the others from
// casos_por_finalizar_idx and casos_fin_apartado_idx.
const pendientes = `
WITH RECURSIVE con_pendientes AS (
	(SELECT caso_id, 1 AS n FROM coincidencias
	WHERE empresa_id = $1 AND estado = 'pendiente' AND caso_id > $2
	ORDER BY caso_id LIMIT 1)
	UNION ALL
	SELECT m.caso_id, p.n + 1 FROM con_pendientes p, LATERAL (
		SELECT caso_id FROM coincidencias
		WHERE empresa_id = $1 AND estado = 'pendiente' AND caso_id > p.caso_id
		ORDER BY caso_id LIMIT 1) m
	WHERE p.n < $3
), por_finalizar AS (
	SELECT id FROM casos
	WHERE empresa_id = $1 AND estado <> 'cerrado' AND finalizacion = 'pendiente' AND id > $2 AND ` + isLoaded + `
	ORDER BY id LIMIT $3
), apartados AS (
	SELECT id FROM casos
	WHERE empresa_id = $1 AND estado <> 'cerrado' AND fin_apartado_hasta IS NOT NULL AND fin_apartado_hasta <= now() AND id > $2
	ORDER BY id LIMIT $3
)
SELECT caso_id FROM con_pendientes UNION SELECT id FROM por_finalizar UNION SELECT id FROM apartados
ORDER BY caso_id LIMIT $3`

// deliverables are those Casos that have been searched, locked in the order in which all lock
// them. One that is locked is being worked on, and not forgotten.
const deliverables = `
SELECT c.id FROM unnest($2::uuid[]) AS n (id), LATERAL (
	SELECT id FROM casos
	WHERE empresa_id = $1 AND id BETWEEN n.id AND n.id AND estado <> 'cerrado' AND ` + phasesSearched + `
	ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
) c`

// readCasos gives the Casos that a query finds.
func readCasos(ctx context.Context, tx pgx.Tx, query string, args ...any) ([]registros.CasoID, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("look for casos: %w", err)
	}
	casos, err := pgx.CollectRows(rows, pgx.RowTo[registros.CasoID])
	if err != nil {
		return nil, fmt.Errorf("look for casos: %w", err)
	}
	return casos, nil
}
