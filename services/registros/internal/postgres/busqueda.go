package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// searchRows is how many Registros one transaction of a search looks at: enough to make the
// commit cheap, few enough to keep memory flat and to hold the Caso's row for a moment only.
const searchRows = 500

// busqueda is the search of a Caso, which is locked.
type busqueda struct {
	empresa tenant.EmpresaID
	caso    registros.Caso
	loaded  bool  // the initial load of the Empresa is finished
	corte   int64 // the Caso's, or the Empresa's if that is later, see carga.go
	// done holds the phases that have run.
	done   map[manual.Fase]bool
	avance avance
}

// avance is how far the phase has come that is running; it is kept with the Caso from one
// transaction of its search to the next.
type avance struct {
	// Dia and ID are the last Registro's that was looked at; the zero ID is none's.
	Dia           manual.Fecha      `json:"dia,omitzero"`
	ID            int64             `json:"id,omitzero"`
	Registros     int               `json:"registros,omitzero"`
	Coincidencias int               `json:"coincidencias,omitzero"`
	Basicos       registros.Basicos `json:"basicos,omitzero"`
}

// SearchCaso goes on with the search of a Caso, by as much as fits into one transaction, and
// tells whether anything is left. Each phase runs once; the end asks for the delivery of what
// was found. A closed Caso is left alone, and so is one whose search is over, or waits for the
// end of the initial load.
func (s *Store) SearchCaso(ctx context.Context, empresa tenant.EmpresaID, id registros.CasoID) (left bool, err error) {
	err = s.db.InEmpresaByKeys(ctx, empresa, func(tx pgx.Tx) error {
		left = false
		b, err := lockBusqueda(ctx, tx, empresa, id)
		if err != nil || b.isOver() {
			return err
		}
		left, err = b.goOn(ctx, tx)
		if err != nil {
			return err
		}
		if !left {
			err = s.queue.DeliverCasos(ctx, tx, empresa, []registros.CasoID{id})
			if err != nil {
				return err
			}
		}
		return bumpRevision(ctx, tx, empresa)
	})
	if err != nil {
		return false, fmt.Errorf("search caso %s: %w", id, err)
	}
	return left, nil
}

func lockBusqueda(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, id registros.CasoID) (busqueda, error) {
	b := busqueda{empresa: empresa}
	var basicos, historica, buscado bool
	err := tx.QueryRow(ctx, `
		SELECT `+isLoaded+`, greatest(corte, (SELECT corte FROM cargas WHERE empresa_id = $1)), basicos_en IS NOT NULL, historica_en IS NOT NULL, buscado_en IS NOT NULL, coalesce(avance, '{}')
		FROM casos WHERE empresa_id = $1 AND id = $2 FOR UPDATE`, string(empresa), id).
		Scan(&b.loaded, &b.corte, &basicos, &historica, &buscado, &b.avance)
	if errors.Is(err, pgx.ErrNoRows) {
		return b, errors.New("there is no such caso")
	}
	if err != nil {
		return b, fmt.Errorf("lock caso: %w", err)
	}
	b.done = map[manual.Fase]bool{
		manual.FaseBasicos: basicos, manual.FaseHistorica: historica, manual.FaseContinua: buscado,
	}
	rows, err := tx.Query(ctx, `SELECT `+casoColumns+` FROM casos WHERE empresa_id = $1 AND id = $2`, string(empresa), id)
	if err != nil {
		return b, fmt.Errorf("read caso: %w", err)
	}
	b.caso, err = pgx.CollectExactlyOneRow(rows, scanCaso)
	if err != nil {
		return b, fmt.Errorf("read caso: %w", err)
	}
	return b, nil
}

// isOver reports whether there is nothing to search now; phase 3 is the last one. What waits for
// the end of a load is asked for by that.
func (b *busqueda) isOver() bool {
	return !b.loaded || b.caso.Estado == registros.CasoCerrado || b.done[manual.FaseContinua]
}

// goOn takes one phase after the other until all have run or searchRows have been looked at.
func (b *busqueda) goOn(ctx context.Context, tx pgx.Tx) (left bool, err error) {
	rows := searchRows
	for _, tramo := range b.caso.Reporte.Ventana().Tramos() {
		if b.done[tramo.Fase] {
			continue
		}
		looked, err := b.search(ctx, tx, tramo, rows)
		if err != nil {
			return false, err
		}
		if looked == rows {
			return true, b.keepAvance(ctx, tx)
		}
		rows -= looked
		err = b.finish(ctx, tx, tramo.Fase)
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// search looks at the next Registros of a Tramo and tells how many there were: fewer than
// asked for are the last ones.
func (b *busqueda) search(ctx context.Context, tx pgx.Tx, tramo registros.Tramo, rows int) (looked int, err error) {
	if tramo.Fase == manual.FaseBasicos {
		return b.gatherBasicos(ctx, tx, tramo, rows)
	}
	return b.matchEventos(ctx, tx, tramo, rows)
}

// nextOfPersona reads on in registros_persona_idx from the last Registro that was looked at.
// What was written after the corte is among it, and is passed over when it is matched.
const nextOfPersona = `
	FROM registros
	WHERE empresa_id = $1 AND curp = $2
		AND (fecha_evento, id) > (coalesce($3::date, '-infinity'), $4) AND fecha_evento <= coalesce($5::date, 'infinity')
	ORDER BY fecha_evento, id LIMIT $6`

// read asks for the next Registros of a Tramo.
func (b *busqueda) read(ctx context.Context, tx pgx.Tx, columns string, tramo registros.Tramo, rows int) (pgx.Rows, error) {
	from := b.avance.Dia
	if b.avance.ID == 0 {
		from = tramo.Desde
	}
	return tx.Query(ctx, `SELECT `+columns+nextOfPersona, string(b.empresa), b.caso.Reporte.Persona.CURP,
		pg.Date(from), b.avance.ID, pg.Date(tramo.Hasta), rows)
}

// gatherBasicos is phase 1. It has no corte: what was written since the Caso opened is the
// newest that there is.
func (b *busqueda) gatherBasicos(ctx context.Context, tx pgx.Tx, tramo registros.Tramo, limit int) (looked int, err error) {
	rows, err := b.read(ctx, tx, `folio, fecha_evento, datos, revision, id`, tramo, limit)
	if err != nil {
		return 0, fmt.Errorf("read registros of the person: %w", err)
	}
	var folio registros.Folio
	var fecha time.Time
	var d datos
	var revision, id int64
	_, err = pgx.ForEachRow(rows, []any{&folio, &fecha, &d, &revision, &id}, func() error {
		r := registros.Registro{Folio: folio, FechaEvento: manual.FechaUTC(fecha)}
		d.fill(&r)
		b.avance.Basicos.Add(&r, revision)
		b.avance.Dia, b.avance.ID = r.FechaEvento, id
		looked++
		d = datos{} // what a row lacks would stay
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("read registros of the person: %w", err)
	}
	b.avance.Registros += looked
	return looked, nil
}

// matchEventos opens a Coincidencia for each of the next events that was written before the
// corte, unless it has been told already. What came after is its writer's to match.
func (b *busqueda) matchEventos(ctx context.Context, tx pgx.Tx, tramo registros.Tramo, limit int) (looked int, err error) {
	rows, err := b.read(ctx, tx, `folio, curp, tipo_evento, fecha_evento, datos, revision, id`, tramo, limit)
	if err != nil {
		return 0, fmt.Errorf("read events of the person: %w", err)
	}
	var pares []par
	var read registros.Registro
	var fecha time.Time
	var d datos
	var revision int64
	_, err = pgx.ForEachRow(rows, []any{&read.Folio, &read.CURP, &read.TipoEvento, &fecha, &d, &revision, &b.avance.ID}, func() error {
		r := read
		r.FechaEvento = manual.FechaUTC(fecha)
		d.fill(&r)
		if revision <= b.corte {
			pares = append(pares, par{caso: b.caso.ID, folio: r.Folio, registro: &r, hasta: revision})
		}
		b.avance.Dia = r.FechaEvento
		looked++
		d = datos{} // what a row lacks would stay
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("read events of the person: %w", err)
	}
	opened, err := insertCoincidencias(ctx, tx, b.empresa, tramo.Fase, pares)
	if err != nil {
		return 0, err
	}
	b.avance.Registros += looked
	b.avance.Coincidencias += len(opened)
	return looked, nil
}

// keepAvance lets the next transaction go on from here.
func (b *busqueda) keepAvance(ctx context.Context, tx pgx.Tx) error {
	text, err := json.Marshal(b.avance)
	if err != nil {
		return fmt.Errorf("encode progress: %w", err)
	}
	_, err = tx.Exec(ctx, `UPDATE casos SET avance = $3 WHERE empresa_id = $1 AND id = $2`, string(b.empresa), b.caso.ID, text)
	if err != nil {
		return fmt.Errorf("keep progress: %w", err)
	}
	return nil
}

// finish ends a phase: phase 1 tells what it gathered, and phases 1 and 2 are noted; of phase 3 each
// batch is (noteComparados).
func (b *busqueda) finish(ctx context.Context, tx pgx.Tx, fase manual.Fase) error {
	if fase == manual.FaseBasicos {
		err := b.insertBasicos(ctx, tx)
		if err != nil {
			return err
		}
	}
	if fase != manual.FaseContinua {
		err := insertBusqueda(ctx, tx, b.empresa, b.caso.ID, fase, b.avance.Registros, b.avance.Coincidencias)
		if err != nil {
			return err
		}
	}
	b.avance = avance{}
	return markDone(ctx, tx, b.empresa, b.caso.ID, fase)
}

func (b *busqueda) insertBasicos(ctx context.Context, tx pgx.Tx) error {
	basicos, tells := b.avance.Basicos.Datos(b.caso.Reporte.Persona)
	if !tells {
		return nil
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO coincidencias (empresa_id, id, caso_id, fase, folio, revision, curp, datos)
		VALUES ($1, $2, $3, 1, $4, $5, $6, $7)
		ON CONFLICT (empresa_id, caso_id) WHERE fase = 1 DO NOTHING`,
		string(b.empresa), pg.NewID(), b.caso.ID, basicos.Folio, b.avance.Basicos.Folio.Revision, basicos.CURP, appendDatos(nil, &basicos))
	if err != nil {
		return fmt.Errorf("open coincidencia of phase 1: %w", err)
	}
	b.avance.Coincidencias = int(tag.RowsAffected())
	if b.avance.Coincidencias == 0 {
		return nil // an earlier search told it
	}
	_, err = tx.Exec(ctx, `UPDATE casos SET coincidencias = coincidencias + 1 WHERE empresa_id = $1 AND id = $2`,
		string(b.empresa), b.caso.ID)
	if err != nil {
		return fmt.Errorf("count coincidencia of phase 1: %w", err)
	}
	return nil
}

// insertBusqueda notes that a phase was searched.
func insertBusqueda(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, caso registros.CasoID, fase manual.Fase, looked, found int) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO busquedas (empresa_id, id, caso_id, fase, registros, coincidencias)
		VALUES ($1, $2, $3, $4, $5, $6)`, string(empresa), pg.NewID(), caso, int(fase), looked, found)
	if err != nil {
		return fmt.Errorf("note search: %w", err)
	}
	return nil
}

// doneColumn is where it is noted that a phase of the search has run. Phase 3 goes on; what
// is over is the search of what was there.
var doneColumn = map[manual.Fase]string{
	manual.FaseBasicos: "basicos_en", manual.FaseHistorica: "historica_en", manual.FaseContinua: "buscado_en",
}

func markDone(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, caso registros.CasoID, fase manual.Fase) error {
	column := doneColumn[fase]
	_, err := tx.Exec(ctx, `UPDATE casos SET `+column+` = now(), avance = NULL, actualizado_en = now() WHERE empresa_id = $1 AND id = $2`,
		string(empresa), caso)
	if err != nil {
		return fmt.Errorf("mark %s: %w", column, err)
	}
	return nil
}
