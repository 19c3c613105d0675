package postgres

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// par is a Caso and a Registro that matches it. Of one that was just written the Registro is
// looked up by its folio in the batch.
type par struct {
	caso     registros.CasoID
	folio    registros.Folio
	registro *registros.Registro
	// hasta is the revision that was read: the writer of a later one opens its Coincidencia.
	hasta int64
}

func pair(casos []registros.CasoID, folios []registros.Folio) []par {
	pares := make([]par, len(casos))
	for i := range casos {
		pares[i] = newPar(casos[i], folios[i])
	}
	return pares
}

// newPar is one of a Registro that this transaction wrote, which nobody else changes.
func newPar(caso registros.CasoID, folio registros.Folio) par {
	return par{caso: caso, folio: folio, hasta: math.MaxInt64}
}

// matchContinua opens the Coincidencias of phase 3 for Registros that this transaction has
// just written, and asks for their delivery. Casos that were closed get none, and neither do those
// of an institution that is loading. What was compared with each Caso is noted, whatever came of it.
// A batch that is remembered gets the number of Coincidencias.
func (s *Store) matchContinua(ctx context.Context, tx pgx.Tx, e escritura, pares []par) (int, error) {
	if len(pares) == 0 {
		return 0, nil
	}
	escritos := make(map[registros.Folio]*registros.Registro, len(e.filas))
	for i := range e.filas {
		escritos[e.filas[i].Folio] = e.filas[i].Registro
	}
	for i := range pares {
		pares[i].registro = escritos[pares[i].folio]
	}
	open, err := lockAbiertos(ctx, tx, e.empresa, pares)
	if err != nil {
		return 0, err
	}
	comparados := pares
	pares, err = tellable(ctx, tx, e.empresa, open, pares)
	if err != nil {
		return 0, err
	}
	opened, err := insertCoincidencias(ctx, tx, e.empresa, manual.FaseContinua, pares)
	if err == nil {
		err = noteComparados(ctx, tx, e.empresa, open, comparados, opened)
	}
	found := len(opened)
	if err != nil || found == 0 {
		return 0, err
	}
	err = s.queue.DeliverCasos(ctx, tx, e.empresa, casosOf(pares))
	if err == nil && e.lote.ID != uuid.Nil {
		err = noteCoincidencias(ctx, tx, e.empresa, e.lote.ID, found)
	}
	if err != nil {
		return 0, err
	}
	return found, bumpRevision(ctx, tx, e.empresa)
}

// newComparados notes of a batch what phase 3 compared with a Caso.
const newComparados = `
INSERT INTO busquedas (empresa_id, id, caso_id, fase, registros, coincidencias)
VALUES ($1, unnest($2::uuid[]), unnest($3::uuid[]), 3, unnest($4::int[]), unnest($5::int[]))`

// noteComparados notes for each open Caso how many Registros of a batch were compared with it, and
// how many Coincidencias followed: one for each id in opened. A Caso that each of its Registros
// matched needs no row: the Coincidencias say it.
func noteComparados(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, open map[registros.CasoID]registros.Reporte, pares []par, opened []registros.CasoID) error {
	looked, found := map[registros.CasoID]int{}, map[registros.CasoID]int{}
	for _, p := range pares {
		if _, isOpen := open[p.caso]; isOpen {
			looked[p.caso]++
		}
	}
	for _, caso := range opened {
		found[caso]++
	}
	var ids, casos []uuid.UUID
	var lookedOf, foundOf []int
	for _, caso := range slices.SortedFunc(maps.Keys(looked), compareIDs) {
		if looked[caso] > found[caso] {
			ids, casos = append(ids, pg.NewID()), append(casos, caso)
			lookedOf, foundOf = append(lookedOf, looked[caso]), append(foundOf, found[caso])
		}
	}
	if len(casos) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, newComparados, string(empresa), ids, casos, lookedOf, foundOf)
	if err != nil {
		return fmt.Errorf("note what was compared: %w", err)
	}
	return nil
}

// casosOf are the Casos of pairs in the order of their ids, each once.
func casosOf(pares []par) []registros.CasoID {
	ids := make([]registros.CasoID, len(pares))
	for i, p := range pares {
		ids[i] = p.caso
	}
	slices.SortFunc(ids, compareIDs)
	return slices.Compact(ids)
}

// lockedAbiertos looks each Caso up in casos_pkey (see openCoincidencias), and locks it in the
// order given.
const lockedAbiertos = `
SELECT c.* FROM unnest($2::uuid[]) AS n (id), LATERAL (
	SELECT ` + casoColumns + ` FROM casos
	WHERE empresa_id = $1 AND id BETWEEN n.id AND n.id AND estado <> 'cerrado' ORDER BY id LIMIT 1 FOR UPDATE
) c WHERE ` + isLoaded

// lockAbiertos locks those Casos that are still open, none of an institution that is loading. All
// transactions that lock several Casos do so in the order of their ids.
func lockAbiertos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, pares []par) (map[registros.CasoID]registros.Reporte, error) {
	rows, err := tx.Query(ctx, lockedAbiertos, string(empresa), casosOf(pares))
	if err != nil {
		return nil, fmt.Errorf("lock casos: %w", err)
	}
	casos, err := pgx.CollectRows(rows, scanCaso)
	if err != nil {
		return nil, fmt.Errorf("lock casos: %w", err)
	}
	open := make(map[registros.CasoID]registros.Reporte, len(casos))
	for i := range casos {
		open[casos[i].ID] = casos[i].Reporte
	}
	return open, nil
}

// tellable gives the pairs of open Casos that phase 3 tells, whether or not they were told
// already. The Casos' rows are locked by the caller.
func tellable(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, open map[registros.CasoID]registros.Reporte, pares []par) ([]par, error) {
	ventanas := make(map[registros.CasoID]registros.Ventana, len(open))
	for id, reporte := range open {
		ventanas[id] = reporte.Ventana()
	}
	var all, old []par
	for _, p := range pares {
		ventana, isOpen := ventanas[p.caso]
		switch alcance := ventana.Continua(p.registro.FechaEvento); {
		case !isOpen || alcance == registros.Nada:
		case alcance == registros.LoNuevo:
			old = append(old, p)
		default:
			all = append(all, p)
		}
	}
	if len(old) == 0 {
		return all, nil
	}
	conocidos, err := readConocidos(ctx, tx, empresa, open, casosOf(old))
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if c := conocidos[p.caso]; c != nil {
			c.Learn(p.registro.Persona)
		}
	}
	for _, p := range old {
		if conocidos[p.caso].Learn(p.registro.Persona) {
			all = append(all, p)
		}
	}
	return all, nil
}

// toldPersonas are the different things that were told of the person of each Caso, or are about
// to be, read by Caso (see openCoincidencias). What the platform refused it does not know.
const toldPersonas = `
SELECT n.caso_id, p.persona FROM unnest($2::uuid[]) AS n (caso_id), LATERAL (
	SELECT DISTINCT datos - '{descripcion_lugar_evento,direccion_evento}'::text[] AS persona FROM (
		(SELECT datos FROM coincidencias
		WHERE empresa_id = $1 AND caso_id BETWEEN n.caso_id AND n.caso_id AND fase = 1 AND estado <> 'rechazada'
		ORDER BY caso_id OFFSET 0)
		UNION ALL
		(SELECT datos FROM coincidencias
		WHERE empresa_id = $1 AND caso_id BETWEEN n.caso_id AND n.caso_id AND fase <> 1 AND estado <> 'rechazada'
		ORDER BY caso_id OFFSET 0)
	) c LIMIT $3
) p`

// readConocidos gives what the platform knows of the persons of Casos.
func readConocidos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, open map[registros.CasoID]registros.Reporte, casos []registros.CasoID) (map[registros.CasoID]*registros.Conocido, error) {
	conocidos := make(map[registros.CasoID]*registros.Conocido, len(casos))
	for _, id := range casos {
		conocidos[id] = registros.NewConocido(open[id].Persona)
	}
	rows, err := tx.Query(ctx, toldPersonas, string(empresa), casos, registros.MaxConocidas)
	if err != nil {
		return nil, fmt.Errorf("read what was told of persons: %w", err)
	}
	var caso registros.CasoID
	var persona manual.Persona
	_, err = pgx.ForEachRow(rows, []any{&caso, &persona}, func() error {
		persona.CURP = open[caso].Persona.CURP
		conocidos[caso].Learn(persona)
		persona = manual.Persona{} // what a row lacks would stay
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what was told of persons: %w", err)
	}
	return conocidos, nil
}

// toldContents are what each Caso was told of a folio in phases 2 and 3, by the place of the
// pair, looked up in coincidencias_registro_key (see openCoincidencias): in
// coincidencias_folio_idx a folio may have very many, of other Casos. What was emptied says nothing
// any more.
const toldContents = `
SELECT n.n, c.* FROM unnest($2::uuid[], $3::text[]) WITH ORDINALITY AS n (caso_id, folio, n), LATERAL (
	SELECT curp, tipo_evento, fecha_evento, datos FROM coincidencias
	WHERE empresa_id = $1 AND caso_id = n.caso_id AND folio = n.folio AND fase <> 1 AND curp <> '` + manual.CURPDepurada + `'
	ORDER BY revision OFFSET 0
) c`

// untold leaves out the pairs whose content their Caso was told already: with another one in
// between, or with another revision that changed nothing for the platform.
func untold(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, pares []par) ([]par, error) {
	if len(pares) == 0 {
		return nil, nil
	}
	casos, folios := make([]registros.CasoID, len(pares)), make([]registros.Folio, len(pares))
	for i, p := range pares {
		casos[i], folios[i] = p.caso, p.folio
	}
	rows, err := tx.Query(ctx, toldContents, string(empresa), casos, folios)
	if err != nil {
		return nil, fmt.Errorf("read what was told: %w", err)
	}
	told := make([]bool, len(pares))
	var n int
	var c registros.Registro
	var fecha time.Time
	var d datos
	_, err = pgx.ForEachRow(rows, []any{&n, &c.CURP, &c.TipoEvento, &fecha, &d}, func() error {
		c.FechaEvento = manual.FechaUTC(fecha)
		d.fill(&c)
		told[n-1] = told[n-1] || c.Notificable() == pares[n-1].registro.Notificable()
		d = datos{} // what a row lacks would stay
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what was told: %w", err)
	}
	left := make([]par, 0, len(pares))
	for i, p := range pares {
		if !told[i] {
			left = append(left, p)
		}
	}
	return left, nil
}

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
		FROM unnest($3::uuid[], $4::uuid[], $5::text[], $6::bigint[]) AS n (id, caso_id, folio, hasta), LATERAL (
			SELECT revision, curp, tipo_evento, fecha_evento, datos FROM registros
			WHERE empresa_id = $1 AND folio BETWEEN n.folio AND n.folio AND revision <= n.hasta
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
	SELECT array_agg(caso_id) FROM nuevas`

// insertCoincidencias freezes the present content of each Registro into a Coincidencia, in
// the order given, and adds them to their Casos' counts. Registros that were written again are
// passed over: their writer opens their Coincidencias. So is a content that the Caso has been
// told already. It gives the Caso of each. The Casos' rows are locked by the caller.
func insertCoincidencias(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, fase manual.Fase, pares []par) (opened []registros.CasoID, err error) {
	pares, err = untold(ctx, tx, empresa, pares)
	if err != nil || len(pares) == 0 {
		return nil, err
	}
	ids := make([]uuid.UUID, len(pares))
	casos := make([]uuid.UUID, len(pares))
	folios := make([]registros.Folio, len(pares))
	hasta := make([]int64, len(pares))
	for i, p := range pares {
		ids[i], casos[i], folios[i], hasta[i] = pg.NewID(), p.caso, p.folio, p.hasta
	}
	err = tx.QueryRow(ctx, openCoincidencias, string(empresa), int(fase), ids, casos, folios, hasta).Scan(&opened)
	if err != nil {
		return nil, fmt.Errorf("open coincidencias: %w", err)
	}
	return opened, nil
}

func compareIDs(a, b uuid.UUID) int {
	return slices.Compare(a[:], b[:])
}
