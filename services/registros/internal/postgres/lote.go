package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// noteCoincidencias adds to what is remembered of a batch what it met.
func noteCoincidencias(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, lote registros.LoteID, found int) error {
	_, err := tx.Exec(ctx, `UPDATE lotes SET coincidencias = $3 WHERE empresa_id = $1 AND id = $2`, string(empresa), lote, found)
	if err != nil {
		return fmt.Errorf("note matches of lote: %w", err)
	}
	return nil
}

// GetLote tells what a batch was.
func (s *Store) GetLote(ctx context.Context, empresa tenant.EmpresaID, id registros.LoteID) (registros.LoteRecibido, error) {
	lote := registros.LoteRecibido{ID: id}
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			SELECT key_id, recibido_en, total, rechazados, creados, actualizados, coincidencias
			FROM lotes WHERE empresa_id = $1 AND id = $2`, string(empresa), id).
			Scan(&lote.KeyID, &lote.RecibidoEn, &lote.Total, &lote.Rechazados, &lote.Creados, &lote.Actualizados, &lote.Coincidencias)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return lote, errs.New(errores.NoEncontrado, registros.LoteMissing)
	}
	if err != nil {
		return lote, fmt.Errorf("get lote: %w", err)
	}
	lote.SinCambios = lote.Total - lote.Rechazados - lote.Creados - lote.Actualizados
	return lote, nil
}

// purgeLotesRows bounds one transaction of a purge of batches.
const purgeLotesRows = 5000

const (
	findLotes   = `SELECT empresa_id, id FROM lotes WHERE recibido_en < $1 LIMIT $2`
	deleteLotes = `DELETE FROM lotes WHERE empresa_id = $1 AND id = ANY ($2)`
)

// PurgeLotes forgets the batches that came before an instant. It is a batch of [jobs.Sweep]
// and needs no key: what was deleted is due no more.
func (s *Store) PurgeLotes(ctx context.Context, before time.Time) (deleted int, last bool, err error) {
	err = s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		due, err := pg.QueryDue[registros.LoteID](ctx, tx, findLotes, before, purgeLotesRows)
		if err != nil {
			return err
		}
		deleted, err = pg.ChangeDue(ctx, tx, due, deleteLotes)
		return err
	})
	if err != nil {
		return 0, false, fmt.Errorf("purge lotes: %w", err)
	}
	return deleted, deleted < purgeLotesRows, nil
}
