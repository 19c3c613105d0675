package postgres

import (
	"context"
	"fmt"
	"slices"
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

// casosOfReportes looks each Caso up in casos_reporte_key (see openCoincidencias).
const casosOfReportes = `
SELECT c.* FROM unnest($2::text[], $3::int[]) AS r (id, numero), LATERAL (
	SELECT ` + casoColumns + ` FROM casos
	WHERE empresa_id = $1 AND reporte_id = r.id AND ciclo BETWEEN r.numero AND r.numero ORDER BY ciclo LIMIT 1
) c`

// openOrComplete opens the Casos that are not there, and completes the others, those among
// them that were opened meanwhile.
func (s *Store) openOrComplete(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, due []*Apertura) error {
	var last pgx.Batch
	err := s.insertCasos(ctx, tx, empresa, due, &last)
	if err != nil {
		return err
	}
	var changed bool
	for _, a := range due {
		if a.opened {
			changed = true
			continue
		}
		caso, _, err := findCaso(ctx, tx, empresa, a.reporte.ID, a.reporte.Ciclo)
		if err != nil {
			return err
		}
		completed, err := s.completeCaso(ctx, tx, empresa, caso, a.reporte)
		if err != nil {
			return err
		}
		a.Caso, changed = caso.ID, changed || completed
	}
	if changed {
		last.Queue(nextRevision, string(empresa))
	}
	err = tx.SendBatch(ctx, &last).Close()
	if err != nil {
		return fmt.Errorf("note opening of casos: %w", err)
	}
	return nil
}

// Casos are opened by statements that in a cluster each go whole to the worker which has the
// institution; one that does it all would be told to every worker, and fail while one is away.
const (
	drawCortes = `SELECT nextval('registros_revision_seq') FROM generate_series(1, $1)`

	// findNadie gives the persons, by their place from 1, of whom there is no Registro. Nothing
	// can be found of them, and their search is over before it began: while the opening is locked
	// none is written, so the look at registros_persona_idx is as good as the search's own later
	// on (and of no other index, see openCoincidencias).
	findNadie = `
SELECT p.n, now() FROM unnest($2::text[]) WITH ORDINALITY AS p (curp, n)
WHERE (SELECT true FROM registros WHERE empresa_id = $1 AND curp BETWEEN p.curp AND p.curp ORDER BY curp LIMIT 1) IS NULL`

	// newCasos inserts Casos, but for those that were opened meanwhile.
	newCasos = `
INSERT INTO casos (empresa_id, id, reporte_id, ciclo, curp, persona, activado_en, fecha_desaparicion,
	historica_desde, historica_hasta, continua_desde, corte, basicos_en, historica_en, buscado_en)
VALUES ($1, unnest($2::uuid[]), unnest($3::text[]), unnest($4::int[]), unnest($5::text[]), unnest($6::jsonb[]), unnest($7::timestamptz[]), unnest($8::date[]),
	unnest($9::date[]), unnest($10::date[]), unnest($11::date[]), unnest($12::bigint[]), unnest($13::timestamptz[]), unnest($14::timestamptz[]), unnest($13::timestamptz[]))
ON CONFLICT ON CONSTRAINT casos_reporte_key DO NOTHING
RETURNING id`

	// newBusquedas notes what was searched, as ever.
	newBusquedas = `
INSERT INTO busquedas (empresa_id, id, caso_id, fase, registros, coincidencias)
VALUES ($1, unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::smallint[]), 0, 0)`
)

// insertCasos opens those that are not there, and asks for what follows; what was searched of
// them goes into last. Those of an institution that is loading wait, see carga.go. The opening is
// locked when it returns.
func (s *Store) insertCasos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, due []*Apertura, last *pgx.Batch) error {
	var nuevos casosNuevos
	var nuevas []*Apertura
	for _, a := range due {
		if a.Caso == uuid.Nil {
			nuevos.add(&a.reporte)
			nuevas = append(nuevas, a)
		}
	}
	err := nuevos.lockAndLook(ctx, tx, empresa)
	if err != nil || len(nuevas) == 0 {
		return err
	}
	places, err := nuevos.insert(ctx, tx, empresa)
	if err != nil {
		return err
	}
	abiertos := make([]*Apertura, len(places))
	for n, place := range places {
		a := nuevas[place]
		a.Caso, a.Buscado, a.opened = nuevos.ids[place], nuevos.basicos[place] != nil, true
		abiertos[n] = a
	}
	if !nuevos.loaded {
		return nil // the end of the load asks for what follows
	}
	nuevos.queueBusquedas(last, empresa, places)
	return s.queue.FollowAperturas(ctx, tx, empresa, abiertos)
}

// casosNuevos are the columns of Casos that are opened.
type casosNuevos struct {
	ids                                     []uuid.UUID
	reportes, curps                         []string
	ciclos                                  []int
	personas                                []manual.Persona
	activados                               []time.Time
	desapariciones, desde, hasta, continuas []*time.Time
	cortes                                  []int64
	// basicos and historicas are when their phases were over, if they are before they began.
	basicos, historicas []*time.Time
	// loaded: the initial load is finished, so that what is not there counts.
	loaded bool
}

func (c *casosNuevos) add(r *registros.Reporte) {
	v := r.Ventana()
	c.ids, c.reportes, c.ciclos, c.activados = append(c.ids, pg.NewID()), append(c.reportes, r.ID), append(c.ciclos, r.Ciclo), append(c.activados, r.ActivadoEn)
	c.curps, c.personas = append(c.curps, r.Persona.CURP), append(c.personas, r.Persona)
	c.desapariciones, c.continuas = append(c.desapariciones, pg.Date(r.FechaDesaparicion)), append(c.continuas, pg.Date(v.ContinuaDesde))
	c.desde, c.hasta = append(c.desde, pg.Date(v.HistoricaDesde)), append(c.hasta, pg.Date(v.HistoricaHasta))
}

// lockAndLook locks the opening; then it numbers the Casos and sees of whom there is no Registro.
func (c *casosNuevos) lockAndLook(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID) error {
	c.basicos, c.historicas = make([]*time.Time, len(c.ids)), make([]*time.Time, len(c.ids))
	var batch pgx.Batch
	batch.Queue(soleLock, string(empresa))
	if len(c.ids) > 0 {
		batch.Queue(drawCortes, len(c.ids)).Query(func(rows pgx.Rows) (err error) {
			c.cortes, err = pgx.CollectRows(rows, pgx.RowTo[int64])
			return err
		})
		batch.Queue(`SELECT `+isLoaded, string(empresa)).QueryRow(func(row pgx.Row) error { return row.Scan(&c.loaded) })
		batch.Queue(findNadie, string(empresa), c.curps).Query(c.scanNadie)
	}
	err := tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return fmt.Errorf("lock opening of casos: %w", err)
	}
	return nil
}

func (c *casosNuevos) scanNadie(rows pgx.Rows) error {
	var n int
	var now time.Time
	_, err := pgx.ForEachRow(rows, []any{&n, &now}, func() error {
		if !c.loaded {
			return nil
		}
		c.basicos[n-1] = new(now)
		if c.desde[n-1] != nil {
			c.historicas[n-1] = new(now)
		}
		return nil
	})
	return err
}

// insert gives the places of those that were inserted.
func (c *casosNuevos) insert(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID) (places []int, err error) {
	rows, err := tx.Query(ctx, newCasos, string(empresa), c.ids, c.reportes, c.ciclos, c.curps, c.personas, c.activados, c.desapariciones,
		c.desde, c.hasta, c.continuas, c.cortes, c.basicos, c.historicas)
	if err != nil {
		return nil, fmt.Errorf("insert casos: %w", err)
	}
	var id registros.CasoID
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		places = append(places, slices.Index(c.ids, id))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("insert casos: %w", err)
	}
	return places, nil
}

// queueBusquedas puts the phases that are over into a batch.
func (c *casosNuevos) queueBusquedas(batch *pgx.Batch, empresa tenant.EmpresaID, places []int) {
	var ids, casos []uuid.UUID
	var fases []int
	for _, n := range places {
		for fase, over := range []*time.Time{c.basicos[n], c.historicas[n]} {
			if over != nil {
				ids, casos, fases = append(ids, pg.NewID()), append(casos, c.ids[n]), append(fases, int(manual.FaseBasicos)+fase)
			}
		}
	}
	if len(ids) > 0 {
		batch.Queue(newBusquedas, string(empresa), ids, casos, fases)
	}
}
