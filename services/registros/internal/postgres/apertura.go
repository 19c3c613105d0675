package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/process/tracing"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// OpenCaso opens the Caso of a Reporte, or completes the one that is there with what the
// Reporte adds, and asks for what follows. A closed Caso stays as it is. Those that come at
// the same time are opened together.
func (s *Store) OpenCaso(ctx context.Context, empresa tenant.EmpresaID, reporte registros.Reporte) (registros.CasoID, error) {
	id, err := s.aperturas.Ask(ctx, empresa, Apertura{reporte: reporte, Traceparent: tracing.Parent(ctx)})
	if err != nil {
		return id, fmt.Errorf("open caso: %w", err)
	}
	return id, nil
}

// Apertura is a Reporte whose Caso is to be open.
type Apertura struct {
	// Caso is the id of its Caso once that is known.
	Caso registros.CasoID
	// Buscado tells that the search of a Caso was over as soon as it opened.
	Buscado bool
	// Traceparent is the trace that what follows belongs to.
	Traceparent string

	reporte registros.Reporte
	opened  bool
}

// AvisarDesde is when the platform may be told at the soonest.
func (a *Apertura) AvisarDesde() time.Time { return a.reporte.AvisarDesde }

// openCasos is OpenCaso for several. A repeated call is usual, and need not hold up the writes
// of the Empresa as an opening does.
func (s *Store) openCasos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, asked []Apertura) ([]registros.CasoID, error) {
	due, err := dueAperturas(ctx, tx, empresa, asked)
	if err != nil {
		return nil, err
	}
	if len(due) > 0 {
		err = s.openOrComplete(ctx, tx, empresa, due)
	}
	if err != nil {
		return nil, err
	}
	ids := make([]registros.CasoID, len(asked))
	for n := range asked {
		ids[n] = asked[n].Caso
	}
	return ids, nil
}

// dueAperturas leaves out the Casos that are there and to which nothing is added.
func dueAperturas(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, asked []Apertura) ([]*Apertura, error) {
	type key struct {
		reporteID string
		ciclo     int
	}
	reportes, ciclos := make([]string, len(asked)), make([]int, len(asked))
	for n := range asked {
		reportes[n], ciclos[n] = asked[n].reporte.ID, asked[n].reporte.Ciclo
	}
	rows, err := tx.Query(ctx, casosOfReportes, string(empresa), reportes, ciclos)
	if err != nil {
		return nil, fmt.Errorf("find casos: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanCaso)
	if err != nil {
		return nil, fmt.Errorf("find casos: %w", err)
	}
	byKey := make(map[key]registros.Caso, len(found))
	for _, caso := range found {
		byKey[key{caso.Reporte.ID, caso.Reporte.Ciclo}] = caso
	}
	var due []*Apertura
	for n := range asked {
		caso, known := byKey[key{reportes[n], ciclos[n]}]
		asked[n].Caso = caso.ID
		if !known || adds(caso, asked[n].reporte) {
			due = append(due, &asked[n])
		}
	}
	return due, nil
}

// casosOfReportes looks each Caso up in casos_reporte_key; OFFSET 0 keeps that so (see
// openCoincidencias).
const casosOfReportes = `
SELECT c.* FROM unnest($2::text[], $3::int[]) AS r (id, numero), LATERAL (
	SELECT ` + casoColumns + ` FROM casos WHERE empresa_id = $1 AND reporte_id = r.id AND ciclo = r.numero OFFSET 0
) c`

// openOrComplete opens the Casos that are not there, and completes the others, those among
// them that were opened meanwhile.
func (s *Store) openOrComplete(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, due []*Apertura) error {
	err := lockApertura(ctx, tx, empresa)
	if err != nil {
		return err
	}
	changed, err := s.insertCasos(ctx, tx, empresa, due)
	if err != nil {
		return err
	}
	for _, a := range due {
		if a.opened {
			continue
		}
		caso, _, err := findCaso(ctx, tx, empresa, a.reporte.ID, a.reporte.Ciclo, "FOR UPDATE")
		if err != nil {
			return err
		}
		completed, err := s.completeCaso(ctx, tx, empresa, caso, a.reporte)
		if err != nil {
			return err
		}
		a.Caso, changed = caso.ID, changed || completed
	}
	if !changed {
		return nil
	}
	return bumpRevision(ctx, tx, empresa)
}

// openCaso inserts Casos, but for those that were opened meanwhile. Of a person of whom there
// is no Registro nothing can be found, and the search is over before it began: while the
// opening is locked none is written, so the look at registros_persona_idx is as good as the
// search's own later on. With LIMIT it is that index which is looked at, each time, whatever is
// known of the table. The corte is numbered apart, see mergeOf. What was searched is noted as ever.
const openCaso = `
WITH nuevo AS (
	SELECT n.*, CASE WHEN (SELECT true FROM registros WHERE empresa_id = $1 AND curp = n.curp LIMIT 1) IS NULL THEN now() END AS nadie
	FROM unnest($2::uuid[], $3::text[], $4::int[], $5::text[], $6::jsonb[], $7::timestamptz[], $8::date[], $9::date[], $10::date[],
			$11::date[], $12::uuid[], $13::uuid[])
		AS n (id, reporte_id, ciclo, curp, persona, activado_en, desaparicion, desde, hasta, continua, basicos_id, historica_id)
), numerado AS MATERIALIZED (
	SELECT unnest($2::uuid[]) AS id, nextval('registros_revision_seq') AS corte
), abierto AS (
	INSERT INTO casos (empresa_id, id, reporte_id, ciclo, curp, persona, activado_en,
		fecha_desaparicion, historica_desde, historica_hasta, continua_desde, corte,
		basicos_en, historica_en, buscado_en)
	SELECT $1, id, reporte_id, ciclo, curp, persona, activado_en, desaparicion, desde, hasta, continua, corte,
		nadie, CASE WHEN desde IS NOT NULL THEN nadie END, nadie
	FROM nuevo JOIN numerado USING (id)
	ON CONFLICT ON CONSTRAINT casos_reporte_key DO NOTHING
	RETURNING id, buscado_en IS NOT NULL AS buscado, historica_en IS NOT NULL AS historica
), notadas AS (
	INSERT INTO busquedas (empresa_id, id, caso_id, fase, registros, coincidencias)
	SELECT $1, b.id, a.id, b.fase, 0, 0
	FROM abierto a JOIN nuevo n USING (id), LATERAL (VALUES (n.basicos_id, 1), (n.historica_id, 2)) AS b (id, fase)
	WHERE a.buscado AND (b.fase = 1 OR a.historica)
	RETURNING id
)
SELECT id, buscado FROM abierto`

// insertCasos opens those that are not there, and asks for what follows.
func (s *Store) insertCasos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, due []*Apertura) (opened bool, err error) {
	var nuevos casosNuevos
	byID := map[registros.CasoID]*Apertura{}
	for _, a := range due {
		if a.Caso == uuid.Nil {
			byID[nuevos.add(&a.reporte)] = a
		}
	}
	if len(byID) == 0 {
		return false, nil
	}
	rows, err := tx.Query(ctx, openCaso, append([]any{string(empresa)}, nuevos.columns()...)...)
	if err != nil {
		return false, fmt.Errorf("insert casos: %w", err)
	}
	var id registros.CasoID
	var buscado bool
	var abiertos []*Apertura
	_, err = pgx.ForEachRow(rows, []any{&id, &buscado}, func() error {
		a := byID[id]
		a.Caso, a.Buscado, a.opened = id, buscado, true
		abiertos = append(abiertos, a)
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("insert casos: %w", err)
	}
	return len(abiertos) > 0, s.queue.FollowAperturas(ctx, tx, empresa, abiertos)
}

// casosNuevos are the columns of Casos that are opened.
type casosNuevos struct {
	ids, basicos, historicas                []uuid.UUID
	reportes, curps                         []string
	ciclos                                  []int
	personas                                []manual.Persona
	activados                               []time.Time
	desapariciones, desde, hasta, continuas []*time.Time
}

func (c *casosNuevos) add(r *registros.Reporte) registros.CasoID {
	id, v := pg.NewID(), r.Ventana()
	c.ids, c.basicos, c.historicas = append(c.ids, id), append(c.basicos, pg.NewID()), append(c.historicas, pg.NewID())
	c.reportes, c.ciclos, c.activados = append(c.reportes, r.ID), append(c.ciclos, r.Ciclo), append(c.activados, r.ActivadoEn)
	c.curps, c.personas = append(c.curps, r.Persona.CURP), append(c.personas, r.Persona)
	c.desapariciones, c.continuas = append(c.desapariciones, pg.Date(r.FechaDesaparicion)), append(c.continuas, pg.Date(v.ContinuaDesde))
	c.desde, c.hasta = append(c.desde, pg.Date(v.HistoricaDesde)), append(c.hasta, pg.Date(v.HistoricaHasta))
	return id
}

// columns are the arguments of openCaso from $2 on.
func (c *casosNuevos) columns() []any {
	return []any{c.ids, c.reportes, c.ciclos, c.curps, c.personas, c.activados, c.desapariciones, c.desde, c.hasta, c.continuas, c.basicos, c.historicas}
}
