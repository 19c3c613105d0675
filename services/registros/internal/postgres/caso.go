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

// adds tells whether a Reporte says of an open Caso what it does not know yet.
func adds(caso registros.Caso, reporte registros.Reporte) bool {
	changed, _ := caso.Reporte.Complete(reporte)
	return changed && caso.Estado != registros.CasoCerrado
}

// completeCaso stores what a repeated activation adds. A new disappearance date moves the
// days to search and the corte, and has all be searched again that depends on them; what has
// been told before is not told twice (coincidencias_registro_key).
func (s *Store) completeCaso(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, caso registros.Caso, r registros.Reporte) (changed bool, err error) {
	if !adds(caso, r) {
		return false, nil
	}
	completed := caso.Reporte
	_, newDates := completed.Complete(r)
	v := completed.Ventana()
	var corte *int64
	if newDates {
		err = tx.QueryRow(ctx, `SELECT nextval('registros_revision_seq')`).Scan(&corte)
	}
	if err != nil {
		return false, fmt.Errorf("number caso: %w", err)
	}
	_, err = tx.Exec(ctx, `
		UPDATE casos SET persona = $3, fecha_desaparicion = $4,
			historica_desde = $5, historica_hasta = $6, continua_desde = $7, activado_en = $9,
			corte = coalesce($8::bigint, corte),
			historica_en = CASE WHEN $8::bigint IS NULL THEN historica_en END,
			buscado_en = CASE WHEN $8::bigint IS NULL THEN buscado_en END,
			avance = CASE WHEN $8::bigint IS NULL THEN avance END,
			actualizado_en = now()
		WHERE empresa_id = $1 AND id = $2`,
		string(empresa), caso.ID, completed.Persona, pg.Date(completed.FechaDesaparicion),
		pg.Date(v.HistoricaDesde), pg.Date(v.HistoricaHasta), pg.Date(v.ContinuaDesde), corte, completed.ActivadoEn)
	if err != nil {
		return false, fmt.Errorf("complete caso: %w", err)
	}
	if newDates {
		err = s.queue.SearchCasos(ctx, tx, empresa, []registros.CasoID{caso.ID})
	}
	return true, err
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
			caso, found, err := findCaso(ctx, tx, empresa, reporteID, ciclo)
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

// findCaso gives the Caso of a Reporte and locks its row.
func findCaso(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, reporteID string, ciclo int) (registros.Caso, bool, error) {
	rows, err := tx.Query(ctx, `
		SELECT `+casoColumns+` FROM casos
		WHERE empresa_id = $1 AND reporte_id = $2 AND ciclo = $3 FOR UPDATE`,
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
