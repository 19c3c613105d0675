package postgres

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// par is a Caso and the folio of a Registro that matches it.
type par struct {
	caso  registros.CasoID
	folio registros.Folio
}

func pair(casos []registros.CasoID, folios []registros.Folio) []par {
	pares := make([]par, len(casos))
	for i := range casos {
		pares[i] = par{caso: casos[i], folio: folios[i]}
	}
	return pares
}

// matchContinua opens the Coincidencias of phase 3 for Registros that this transaction has
// just written, and asks for their delivery. Casos that were closed meanwhile get none. A
// batch that is remembered gets their number.
func (s *Store) matchContinua(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, pares []par, lote registros.LoteID) (int, error) {
	if len(pares) == 0 {
		return 0, nil
	}
	open, err := lockAbiertos(ctx, tx, empresa, pares)
	if err != nil {
		return 0, err
	}
	pares = slices.DeleteFunc(pares, func(p par) bool {
		_, isOpen := slices.BinarySearchFunc(open, p.caso, compareIDs)
		return !isOpen
	})
	found, err := insertCoincidencias(ctx, tx, empresa, manual.FaseContinua, pares, sinCorte)
	if err != nil || found == 0 {
		return 0, err
	}
	err = s.queue.DeliverCasos(ctx, tx, empresa, open)
	if err == nil && lote != uuid.Nil {
		err = noteCoincidencias(ctx, tx, empresa, lote, found)
	}
	if err != nil {
		return 0, err
	}
	return found, bumpRevision(ctx, tx, empresa)
}

// lockAbiertos locks those Casos that are still open and gives them in the order of their
// ids: all who lock several do it in that order.
func lockAbiertos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, pares []par) ([]registros.CasoID, error) {
	ids := make([]registros.CasoID, 0, len(pares))
	for _, p := range pares {
		ids = append(ids, p.caso)
	}
	slices.SortFunc(ids, compareIDs)
	ids = slices.Compact(ids)
	return readCasos(ctx, tx, lockedAbiertos, string(empresa), ids)
}

// lockedAbiertos looks each Caso up in casos_pkey (see openCoincidencias), and locks it in the
// order given.
const lockedAbiertos = `
SELECT c.id FROM unnest($2::uuid[]) AS n (id), LATERAL (
	SELECT id FROM casos WHERE empresa_id = $1 AND id BETWEEN n.id AND n.id AND estado <> 'cerrado' ORDER BY id LIMIT 1 FOR UPDATE
) c`

// sinCorte lets insertCoincidencias take Registros of any revision.
const sinCorte = math.MaxInt64

// openCoincidencias looks each Registro up in registros_pkey, whatever PostgreSQL knows of the
// table. By folio = n.folio any index of the Empresa could be read, and is if it seems to have few
// Registros: all of them, for each pair. The order by a column that is not said to be equal is that
// of one index alone, and nothing is sorted here ([pg.DB.InEmpresaByKeys]). The Casos are updated
// last: that theirs is the n-th id is always so, and PostgreSQL then expects one row and looks it up.
const openCoincidencias = `
	WITH nuevas AS (
		INSERT INTO coincidencias
			(empresa_id, id, caso_id, fase, folio, revision, curp, tipo_evento, fecha_evento, datos)
		SELECT $1, n.id, n.caso_id, $2, n.folio, r.revision, r.curp, r.tipo_evento, r.fecha_evento, r.datos
		FROM unnest($3::uuid[], $4::uuid[], $5::text[]) AS n (id, caso_id, folio), LATERAL (
			SELECT revision, curp, tipo_evento, fecha_evento, datos FROM registros
			WHERE empresa_id = $1 AND folio BETWEEN n.folio AND n.folio AND revision < $6
			ORDER BY folio LIMIT 1
		) r
		ON CONFLICT (empresa_id, caso_id, folio, revision) WHERE fase <> 1 DO NOTHING
		RETURNING caso_id
	), por_caso AS (
		SELECT p.* FROM (
			SELECT array_agg(caso_id) AS ids, array_agg(cuenta) AS cuentas
			FROM (SELECT caso_id, count(*) AS cuenta FROM nuevas GROUP BY caso_id) c
		) a, unnest(a.ids, a.cuentas) WITH ORDINALITY AS p (caso_id, cuenta, n)
		WHERE p.caso_id = a.ids[n]
	), contadas AS (
		UPDATE casos c SET coincidencias = c.coincidencias + p.cuenta, actualizado_en = now()
		FROM por_caso p WHERE c.empresa_id = $1 AND c.id = p.caso_id
	)
	SELECT count(*) FROM nuevas`

// insertCoincidencias freezes the present content of each Registro into a Coincidencia, in
// the order given, and adds them to their Casos' counts. Registros written since the corte
// are passed over: their writer opens their Coincidencias. So is a content that the Caso
// has been told already. The Casos' rows are locked by the caller.
func insertCoincidencias(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, fase manual.Fase, pares []par, corte int64) (int, error) {
	ids := make([]uuid.UUID, len(pares))
	casos := make([]uuid.UUID, len(pares))
	folios := make([]registros.Folio, len(pares))
	for i, p := range pares {
		ids[i], casos[i], folios[i] = pg.NewID(), p.caso, p.folio
	}
	var found int
	err := tx.QueryRow(ctx, openCoincidencias, string(empresa), int(fase), ids, casos, folios, corte).Scan(&found)
	if err != nil {
		return 0, fmt.Errorf("open coincidencias: %w", err)
	}
	return found, nil
}

func compareIDs(a, b uuid.UUID) int {
	return slices.Compare(a[:], b[:])
}
