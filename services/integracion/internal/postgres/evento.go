package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/eventos"
)

const (
	insertEvento = `INSERT INTO eventos (empresa_id, id, huella) VALUES ($1, $2, $3) ON CONFLICT (empresa_id, id) DO NOTHING`
	eventoByID   = `SELECT huella FROM eventos WHERE empresa_id = $1 AND id = $2`
)

// AcceptEvento implements [eventos.Store]. The row is inserted first and the
// transaction stays open while save calls registros: another event with that id waits for its
// end, and the end of this process undoes it. Each holds a connection meanwhile, so no more
// than half of them do, and the institutions take turns.
func (s *Store) AcceptEvento(ctx context.Context, e eventos.EventoAceptado, save func(context.Context) error) (eventos.EventoAceptado, bool, error) {
	counts, isNew, err := s.findEvento(ctx, e)
	if err != nil || !isNew {
		return counts, false, err
	}
	leave, err := s.eventos.Enter(ctx, string(e.EmpresaID), 1)
	if err != nil {
		return counts, false, fmt.Errorf("wait for a turn: %w", err)
	}
	defer leave()
	err = s.db.InEmpresa(ctx, e.EmpresaID, func(tx pgx.Tx) error {
		inserted, err := tx.Exec(ctx, insertEvento, string(e.EmpresaID), e.ID, e.Huella)
		if err != nil {
			return fmt.Errorf("insert evento: %w", err)
		}
		isNew = inserted.RowsAffected() == 1
		if isNew {
			return save(ctx)
		}
		counts, err = readEvento(ctx, tx, e)
		return err
	})
	return counts, isNew, err
}

// findEvento gives the accepted event with that id; without one it gives e and true.
func (s *Store) findEvento(ctx context.Context, e eventos.EventoAceptado) (counts eventos.EventoAceptado, isNew bool, err error) {
	err = s.db.InEmpresa(ctx, e.EmpresaID, func(tx pgx.Tx) error {
		counts, err = readEvento(ctx, tx, e)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return e, true, nil
	}
	return counts, false, err
}

func readEvento(ctx context.Context, tx pgx.Tx, e eventos.EventoAceptado) (eventos.EventoAceptado, error) {
	err := tx.QueryRow(ctx, eventoByID, string(e.EmpresaID), e.ID).Scan(&e.Huella)
	if err != nil {
		return e, fmt.Errorf("read evento: %w", err)
	}
	return e, nil
}
