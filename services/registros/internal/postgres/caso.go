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

// casoColumns are the columns that scanCaso reads. It and scanCoincidencia hand over bytes and
// strings for what is one underneath: pgx reads those as they come, and a UUID else as text.
const casoColumns = `id, reporte_id, ciclo, activado_en, fecha_desaparicion, curp, persona,
	estado, finalizacion, coincidencias, abierto_en, busqueda_finalizada_en, cerrado_en, actualizado_en`

func scanCaso(row pgx.CollectableRow) (registros.Caso, error) {
	var c registros.Caso
	var desaparicion, finalizada, cerrado *time.Time
	var curp string
	err := row.Scan((*[16]byte)(&c.ID), &c.Reporte.ID, &c.Reporte.Ciclo, &c.Reporte.ActivadoEn, &desaparicion, &curp, &c.Reporte.Persona,
		(*string)(&c.Estado), (*string)(&c.Finalizacion), &c.Coincidencias, &c.AbiertoEn, &finalizada, &cerrado, &c.ActualizadoEn)
	if err != nil {
		return registros.Caso{}, err
	}
	c.Reporte.FechaDesaparicion = pg.Fecha(desaparicion)
	c.Reporte.Persona.CURP = curp
	c.FinalizadaEn = pg.Value(finalizada)
	c.CerradoEn = pg.Value(cerrado)
	return c, nil
}

// OpenCaso opens the Caso of a Reporte, or completes the one that is there with what the
// Reporte adds, and asks for what follows. A closed Caso stays as it is. A repeated call is
// usual, and need not hold up the writes of the Empresa as an opening does.
func (s *Store) OpenCaso(ctx context.Context, empresa tenant.EmpresaID, reporte registros.Reporte) (registros.CasoID, error) {
	var id registros.CasoID
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		caso, found, err := findCaso(ctx, tx, empresa, reporte.ID, reporte.Ciclo, "")
		if err != nil {
			return err
		}
		if found && !adds(caso, reporte) {
			id = caso.ID
			return nil
		}
		err = lockApertura(ctx, tx, empresa)
		if err != nil {
			return err
		}
		id, err = s.openOrComplete(ctx, tx, empresa, reporte, found)
		return err
	})
	if err != nil {
		return id, fmt.Errorf("open caso: %w", err)
	}
	return id, nil
}

// adds tells whether a Reporte says of an open Caso what it does not know yet.
func adds(caso registros.Caso, reporte registros.Reporte) bool {
	changed, _ := caso.Reporte.Complete(reporte)
	return changed && caso.Estado != registros.CasoCerrado
}

// openOrComplete runs with the opening locked.
func (s *Store) openOrComplete(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, reporte registros.Reporte, known bool) (registros.CasoID, error) {
	if !known {
		id, opened, err := s.insertCaso(ctx, tx, empresa, reporte)
		if err != nil || opened {
			return id, err
		}
	}
	caso, _, err := findCaso(ctx, tx, empresa, reporte.ID, reporte.Ciclo, "FOR UPDATE")
	if err != nil {
		return caso.ID, err
	}
	return caso.ID, s.completeCaso(ctx, tx, empresa, caso, reporte)
}

// openCaso inserts a Caso, unless it was opened meanwhile. Of a person of whom there is no
// Registro nothing can be found, and the search is over before it began: while the opening
// is locked none is written, so the look at registros_persona_idx is as good as the search's
// own later on. What was searched is noted as ever.
const openCaso = `
WITH abierto AS (
	INSERT INTO casos (empresa_id, id, reporte_id, ciclo, curp, persona, activado_en,
		fecha_desaparicion, historica_desde, historica_hasta, continua_desde, corte,
		basicos_en, historica_en, buscado_en)
	SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9::date, $10, $11, nextval('registros_revision_seq'),
		sin.registros, CASE WHEN $9::date IS NOT NULL THEN sin.registros END, sin.registros
	FROM (SELECT CASE WHEN NOT EXISTS (
		SELECT FROM registros WHERE empresa_id = $1 AND curp = $5) THEN now() END AS registros) sin
	ON CONFLICT ON CONSTRAINT casos_reporte_key DO NOTHING
	RETURNING buscado_en IS NOT NULL AS buscado, historica_en IS NOT NULL AS historica
), notadas AS (
	INSERT INTO busquedas (empresa_id, id, caso_id, fase, registros, coincidencias)
	SELECT $1, n.id, $2, n.fase, 0, 0
	FROM abierto, (VALUES ($12::uuid, 1), ($13::uuid, 2)) AS n (id, fase)
	WHERE buscado AND (n.fase = 1 OR historica)
)
SELECT buscado FROM abierto`

// insertCaso opens a Caso, unless it was opened meanwhile.
func (s *Store) insertCaso(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, r registros.Reporte) (registros.CasoID, bool, error) {
	id := pg.NewID()
	v := r.Ventana()
	var searched bool
	err := tx.QueryRow(ctx, openCaso,
		string(empresa), id, r.ID, r.Ciclo, r.Persona.CURP, r.Persona, r.ActivadoEn,
		pg.Date(r.FechaDesaparicion), pg.Date(v.HistoricaDesde), pg.Date(v.HistoricaHasta), pg.Date(v.ContinuaDesde),
		pg.NewID(), pg.NewID()).Scan(&searched)
	if errors.Is(err, pgx.ErrNoRows) {
		return id, false, nil
	}
	if err != nil {
		return id, false, fmt.Errorf("insert caso: %w", err)
	}
	if searched {
		err = s.queue.DeliverCaso(ctx, tx, empresa, id, r.AvisarDesde)
	} else {
		err = s.queue.SearchCasos(ctx, tx, empresa, []registros.CasoID{id})
	}
	if err != nil {
		return id, false, err
	}
	return id, true, bumpRevision(ctx, tx, empresa)
}

// completeCaso stores what a repeated activation adds. A new disappearance date moves the
// days to search and the corte, and has all be searched again that depends on them; what has
// been told before is not told twice (coincidencias_registro_key).
func (s *Store) completeCaso(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, caso registros.Caso, r registros.Reporte) error {
	if !adds(caso, r) {
		return nil
	}
	completed := caso.Reporte
	_, newDates := completed.Complete(r)
	v := completed.Ventana()
	_, err := tx.Exec(ctx, `
		UPDATE casos SET persona = $3, fecha_desaparicion = $4,
			historica_desde = $5, historica_hasta = $6, continua_desde = $7,
			corte = CASE WHEN $8 THEN nextval('registros_revision_seq') ELSE corte END,
			historica_en = CASE WHEN $8 THEN NULL ELSE historica_en END,
			buscado_en = CASE WHEN $8 THEN NULL ELSE buscado_en END,
			avance = CASE WHEN $8 THEN NULL ELSE avance END,
			actualizado_en = now()
		WHERE empresa_id = $1 AND id = $2`,
		string(empresa), caso.ID, completed.Persona, pg.Date(completed.FechaDesaparicion),
		pg.Date(v.HistoricaDesde), pg.Date(v.HistoricaHasta), pg.Date(v.ContinuaDesde), newDates)
	if err != nil {
		return fmt.Errorf("complete caso: %w", err)
	}
	if newDates {
		err = s.queue.SearchCasos(ctx, tx, empresa, []registros.CasoID{caso.ID})
		if err != nil {
			return err
		}
	}
	return bumpRevision(ctx, tx, empresa)
}

// cancelRows bounds how many Coincidencias one transaction cancels.
const cancelRows = 1000

// CloseCaso closes the Caso of a Reporte and cancels what is pending. An unknown or closed
// one is left as it is. Nothing is told any more from the first transaction on, which does
// all that there is of nearly every Caso; what is cut short afterwards goes on when the call
// is repeated.
func (s *Store) CloseCaso(ctx context.Context, empresa tenant.EmpresaID, reporteID string, ciclo int, at time.Time) error {
	for cancelled := cancelRows; cancelled == cancelRows; {
		err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
			cancelled = 0
			caso, found, err := findCaso(ctx, tx, empresa, reporteID, ciclo, "FOR UPDATE")
			if err != nil || !found {
				return err
			}
			cancelled, err = closeCaso(ctx, tx, empresa, caso, at)
			return err
		})
		if err != nil {
			return fmt.Errorf("close caso: %w", err)
		}
	}
	return nil
}

// closeCaso closes the Caso, if it is open, cancels at most cancelRows Coincidencias, which
// it reads from coincidencias_pendientes_idx, and tells how many they were.
func closeCaso(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, caso registros.Caso, at time.Time) (int, error) {
	closes, err := tx.Exec(ctx, `
		UPDATE casos SET estado = 'cerrado', cerrado_en = $3, avance = NULL, actualizado_en = now()
		WHERE empresa_id = $1 AND id = $2 AND estado <> 'cerrado'`, string(empresa), caso.ID, at)
	if err != nil {
		return 0, err
	}
	cancels, err := tx.Exec(ctx, `
		UPDATE coincidencias SET estado = 'cancelada', detalle = NULL
		WHERE empresa_id = $1 AND id = ANY (ARRAY (
			SELECT id FROM coincidencias
			WHERE empresa_id = $1 AND caso_id = $2 AND estado = 'pendiente' ORDER BY fase, id LIMIT $3))`,
		string(empresa), caso.ID, cancelRows)
	if err != nil {
		return 0, err
	}
	if closes.RowsAffected() == 0 && cancels.RowsAffected() == 0 {
		return 0, nil
	}
	return int(cancels.RowsAffected()), bumpRevision(ctx, tx, empresa)
}

// findCaso gives the Caso of a Reporte; lock is a row lock or nothing.
func findCaso(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, reporteID string, ciclo int, lock string) (registros.Caso, bool, error) {
	rows, err := tx.Query(ctx, `
		SELECT `+casoColumns+` FROM casos
		WHERE empresa_id = $1 AND reporte_id = $2 AND ciclo = $3 `+lock,
		string(empresa), reporteID, ciclo)
	if err != nil {
		return registros.Caso{}, false, fmt.Errorf("find caso: %w", err)
	}
	caso, err := pgx.CollectExactlyOneRow(rows, scanCaso)
	if errors.Is(err, pgx.ErrNoRows) {
		return registros.Caso{}, false, nil
	}
	if err != nil {
		return registros.Caso{}, false, fmt.Errorf("find caso: %w", err)
	}
	return caso, true, nil
}
