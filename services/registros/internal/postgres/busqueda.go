package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// searchLeft is what the search of a Caso still has to do.
type searchLeft struct {
	caso          registros.Caso
	corte         int64
	basicosDone   bool
	historicaDone bool
}

// SearchCaso runs phases 1 and 2 of a Caso, each once, and asks for the delivery of what it
// found. A closed Caso is left alone, and so is one whose search is over.
func (s *Store) SearchCaso(ctx context.Context, empresa tenant.EmpresaID, id registros.CasoID) error {
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		left, err := lockSearch(ctx, tx, empresa, id)
		if err != nil || left.caso.Estado == registros.CasoCerrado || left.basicosDone && left.historicaDone {
			return err
		}
		err = search(ctx, tx, empresa, left)
		if err != nil {
			return err
		}
		err = s.queue.DeliverCasos(ctx, tx, empresa, []registros.CasoID{id})
		if err != nil {
			return err
		}
		return bumpRevision(ctx, tx, empresa)
	})
	if err != nil {
		return fmt.Errorf("search caso %s: %w", id, err)
	}
	return nil
}

// search runs the phases that have not run. What was written since the activation is
// looked at last, so that each Registro belongs to the earliest phase that tells it.
func search(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, left searchLeft) error {
	if !left.basicosDone {
		err := searchBasicos(ctx, tx, empresa, left)
		if err != nil {
			return err
		}
	}
	if !left.historicaDone {
		err := searchHistorica(ctx, tx, empresa, left)
		if err != nil {
			return err
		}
	}
	if !left.basicosDone {
		return searchMeanwhile(ctx, tx, empresa, left)
	}
	return nil
}

func lockSearch(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, id registros.CasoID) (searchLeft, error) {
	var b searchLeft
	err := tx.QueryRow(ctx, `
		SELECT corte, basicos_en IS NOT NULL, historica_en IS NOT NULL OR historica_desde IS NULL
		FROM casos WHERE empresa_id = $1 AND id = $2 FOR UPDATE`, string(empresa), id).
		Scan(&b.corte, &b.basicosDone, &b.historicaDone)
	if errors.Is(err, pgx.ErrNoRows) {
		return b, errors.New("there is no such caso")
	}
	if err != nil {
		return b, fmt.Errorf("lock caso: %w", err)
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

// searchBasicos is phase 1. It has no window, and so no corte either: what was written since
// the Caso opened is the newest that there is.
func searchBasicos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, b searchLeft) error {
	// Newest first, by the day of the event and then by arrival; reads registros_curp_idx.
	rows, err := tx.Query(ctx, `
		SELECT folio, curp, tipo_evento, fecha_evento, datos, revision FROM registros
		WHERE empresa_id = $1 AND curp = $2
		ORDER BY fecha_evento DESC, revision DESC`,
		string(empresa), b.caso.Reporte.Persona.CURP)
	if err != nil {
		return fmt.Errorf("read registros of the person: %w", err)
	}
	var newest int64
	regs, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (registros.Registro, error) {
		registro, revision, err := scanRegistro(row)
		if newest == 0 {
			newest = revision
		}
		return registro, err
	})
	if err != nil {
		return fmt.Errorf("read registros of the person: %w", err)
	}
	basicos, found := registros.DatosBasicos(regs, b.caso.Reporte.Persona)
	matches := 0
	if found {
		matches = 1
		err = insertBasicos(ctx, tx, empresa, b.caso.ID, basicos, newest)
		if err != nil {
			return err
		}
	}
	err = insertBusqueda(ctx, tx, empresa, b.caso.ID, registros.FaseBasicos, len(regs), matches)
	if err != nil {
		return err
	}
	return markDone(ctx, tx, empresa, b.caso.ID, "basicos_en")
}

func insertBasicos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, caso registros.CasoID, basicos registros.Registro, revision int64) error {
	datos, err := marshalDatos(&basicos)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO coincidencias (empresa_id, id, caso_id, fase, folio, revision, curp, datos)
		VALUES ($1, $2, $3, 1, $4, $5, $6, $7)`,
		string(empresa), pg.NewID(), caso, basicos.Folio, revision, basicos.CURP, datos)
	if err != nil {
		return fmt.Errorf("open coincidencia of phase 1: %w", err)
	}
	_, err = tx.Exec(ctx, `UPDATE casos SET coincidencias = coincidencias + 1 WHERE empresa_id = $1 AND id = $2`,
		string(empresa), caso)
	if err != nil {
		return fmt.Errorf("count coincidencia of phase 1: %w", err)
	}
	return nil
}

// searchHistorica is phase 2: every event in the window, the oldest first.
func searchHistorica(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, b searchLeft) error {
	v := b.caso.Reporte.Ventana()
	looked, found, err := matchWritten(ctx, tx, empresa, b, registros.FaseHistorica,
		`fecha_evento BETWEEN $4 AND $5`, pg.Date(v.HistoricaDesde), pg.Date(v.HistoricaHasta))
	if err != nil {
		return err
	}
	err = insertBusqueda(ctx, tx, empresa, b.caso.ID, registros.FaseHistorica, looked, found)
	if err != nil {
		return err
	}
	return markDone(ctx, tx, empresa, b.caso.ID, "historica_en")
}

// searchMeanwhile makes up for the time between the activation and the opening of the Caso,
// which an outage can make long: a Registro written then saw no Caso to match, and yet it
// came after the activation, so phase 3 tells it, unless phase 2 just did.
func searchMeanwhile(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, b searchLeft) error {
	_, _, err := matchWritten(ctx, tx, empresa, b, registros.FaseContinua,
		`fecha_evento >= $4 AND actualizado_en >= $5`, pg.Date(b.caso.Reporte.Ventana().ContinuaDesde), b.caso.Reporte.ActivadoEn)
	return err
}

// matchWritten opens a Coincidencia for each Registro of the person that was written before
// the corte and fulfils a condition over the parameters from $4 on. It tells how many there
// were, and how many of them had not been matched before.
func matchWritten(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, b searchLeft, fase registros.Fase, condition string, args ...any) (looked, found int, err error) {
	rows, err := tx.Query(ctx, `
		SELECT folio FROM registros
		WHERE empresa_id = $1 AND curp = $2 AND revision < $3 AND `+condition+`
		ORDER BY fecha_evento, revision`,
		append([]any{string(empresa), b.caso.Reporte.Persona.CURP, b.corte}, args...)...)
	if err != nil {
		return 0, 0, fmt.Errorf("read events of the person: %w", err)
	}
	folios, err := pgx.CollectRows(rows, pgx.RowTo[registros.Folio])
	if err != nil {
		return 0, 0, fmt.Errorf("read events of the person: %w", err)
	}
	pares := make([]par, len(folios))
	for i, folio := range folios {
		pares[i] = par{caso: b.caso.ID, folio: folio}
	}
	found, err = insertCoincidencias(ctx, tx, empresa, fase, pares, b.corte)
	return len(folios), found, err
}

// insertBusqueda notes that a phase was searched.
func insertBusqueda(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, caso registros.CasoID, fase registros.Fase, looked, found int) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO busquedas (empresa_id, id, caso_id, fase, registros, coincidencias)
		VALUES ($1, $2, $3, $4, $5, $6)`, string(empresa), pg.NewID(), caso, int(fase), looked, found)
	if err != nil {
		return fmt.Errorf("note search: %w", err)
	}
	return nil
}

// markDone notes that a phase of the search has run; column is one of ours.
func markDone(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, caso registros.CasoID, column string) error {
	_, err := tx.Exec(ctx, `UPDATE casos SET `+column+` = now(), actualizado_en = now() WHERE empresa_id = $1 AND id = $2`,
		string(empresa), caso)
	if err != nil {
		return fmt.Errorf("mark %s: %w", column, err)
	}
	return nil
}

func scanRegistro(row pgx.CollectableRow) (registros.Registro, int64, error) {
	var r registros.Registro
	var d datos
	var revision int64
	var fecha *time.Time
	err := row.Scan(&r.Folio, &r.CURP, &r.TipoEvento, &fecha, &d, &revision)
	if err != nil {
		return registros.Registro{}, 0, err
	}
	r.FechaEvento = pg.Fecha(fecha)
	d.fill(&r)
	return r, revision, nil
}
