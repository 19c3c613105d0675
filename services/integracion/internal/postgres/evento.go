package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/integracion"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// eventoColumns are the columns that scanEvento reads.
const eventoColumns = `empresa_id, id, key_id, tipo, fecha, folio, huella, registro, estado, errores,
	coincidencias, recibido_en, decidido_en`

// errorEvento is an element of the column `errores`.
type errorEvento struct {
	Puntero string `json:"puntero"`
	Codigo  string `json:"codigo"`
	Mensaje string `json:"mensaje"`
}

func erroresOf(fields []errs.Field) []errorEvento {
	errores := make([]errorEvento, len(fields))
	for i, f := range fields {
		errores[i] = errorEvento{Puntero: f.Puntero, Codigo: f.Codigo, Mensaje: f.Mensaje}
	}
	return errores
}

func scanEvento(row pgx.Row) (integracion.EventoRecibido, error) {
	var e integracion.EventoRecibido
	var tipo, folio *string
	var fecha, decidido *time.Time
	var registro *integracion.RegistroRecibido
	var errores []errorEvento
	err := row.Scan(&e.EmpresaID, &e.ID, &e.KeyID, &tipo, &fecha, &folio, &e.Huella, &registro, &e.Estado, &errores,
		&e.Coincidencias, &e.RecibidoEn, &decidido)
	if err != nil {
		return e, err
	}
	e.Tipo, e.Folio = integracion.TipoEvento(pg.Value(tipo)), pg.Value(folio)
	e.Fecha, e.DecididoEn = pg.Value(fecha), pg.Value(decidido)
	if registro != nil {
		e.Registro = *registro
	}
	for _, each := range errores {
		e.Errores = append(e.Errores, errs.Field{
			Indice: errs.SinIndice, Puntero: each.Puntero, Codigo: each.Codigo, Mensaje: each.Mensaje,
		})
	}
	return e, nil
}

// GetEvento implements [integracion.EventoStore].
func (s *Store) GetEvento(ctx context.Context, empresa tenant.EmpresaID, id string) (integracion.EventoRecibido, error) {
	var e integracion.EventoRecibido
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		var err error
		e, err = readEvento(ctx, tx, empresa, id)
		return err
	})
	return e, notFound(err, "read evento", "No existe ese evento.")
}

func readEvento(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, id string) (integracion.EventoRecibido, error) {
	return scanEvento(tx.QueryRow(ctx,
		`SELECT `+eventoColumns+` FROM eventos WHERE empresa_id = $1 AND id = $2`, string(empresa), id))
}

// AcceptEvento implements [integracion.EventoStore]. Of many at once with one id, one
// inserts; the others wait for its commit and then find it. A rejected event with that id
// makes room, and the order of arrival is that of the mended one.
func (s *Store) AcceptEvento(ctx context.Context, e integracion.EventoRecibido) (integracion.EventoRecibido, bool, error) {
	var stored integracion.EventoRecibido
	isNew := true
	err := s.db.InEmpresa(ctx, e.EmpresaID, func(tx pgx.Tx) error {
		err := lockFolio(ctx, tx, e)
		if err != nil {
			return err
		}
		stored, err = scanEvento(tx.QueryRow(ctx, `
			INSERT INTO eventos AS e (empresa_id, id, key_id, tipo, fecha, folio, huella, registro, estado)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'recibido')
			ON CONFLICT (empresa_id, id) DO UPDATE SET
				secuencia = excluded.secuencia, key_id = excluded.key_id, tipo = excluded.tipo, fecha = excluded.fecha,
				folio = excluded.folio, huella = excluded.huella, registro = excluded.registro, estado = 'recibido',
				errores = '[]', recibido_en = clock_timestamp(), decidido_en = NULL
			WHERE e.estado = 'rechazado'
			RETURNING `+eventoColumns,
			string(e.EmpresaID), e.ID, e.KeyID, string(e.Tipo), e.Fecha, e.Folio, e.Huella, e.Registro))
		if errors.Is(err, pgx.ErrNoRows) {
			isNew = false
			stored, err = readEvento(ctx, tx, e.EmpresaID, e.ID)
			return err
		}
		if err != nil {
			return err
		}
		first, err := nextEvento(ctx, tx, e)
		if err != nil || first != e.ID {
			return err
		}
		return s.queue.ProcessEvento(ctx, tx, e.EmpresaID, e.ID)
	})
	if err != nil {
		return stored, false, fmt.Errorf("insert evento: %w", err)
	}
	return stored, isNew, nil
}

// lockFolio lets one transaction at a time change what waits for a folio: else an event
// could arrive unseen while the one that it would follow is finished, and wait for ever.
func lockFolio(ctx context.Context, tx pgx.Tx, e integracion.EventoRecibido) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1 || '/' || $2, 0))`, string(e.EmpresaID), e.Folio)
	if err != nil {
		return fmt.Errorf("lock folio: %w", err)
	}
	return nil
}

// nextEvento finds by the index eventos_folio_idx which event of a folio is to be processed
// now; empty: none.
func nextEvento(ctx context.Context, tx pgx.Tx, e integracion.EventoRecibido) (string, error) {
	var id string
	err := tx.QueryRow(ctx, `
		SELECT id FROM eventos WHERE empresa_id = $1 AND folio = $2 AND estado = 'recibido'
		ORDER BY secuencia LIMIT 1`, string(e.EmpresaID), e.Folio).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// RejectEvento implements [integracion.EventoStore].
func (s *Store) RejectEvento(ctx context.Context, e integracion.EventoRecibido) error {
	return s.db.InEmpresa(ctx, e.EmpresaID, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO eventos AS e (empresa_id, id, key_id, tipo, fecha, folio, huella, estado, errores, decidido_en)
			VALUES ($1, $2, $3, nullif($4, ''), $5, nullif($6, ''), $7, 'rechazado', $8, clock_timestamp())
			ON CONFLICT (empresa_id, id) DO UPDATE SET
				secuencia = excluded.secuencia, key_id = excluded.key_id, tipo = excluded.tipo, fecha = excluded.fecha,
				folio = excluded.folio, huella = excluded.huella, errores = excluded.errores,
				recibido_en = clock_timestamp(), decidido_en = clock_timestamp()
			WHERE e.estado = 'rechazado'`,
			string(e.EmpresaID), e.ID, e.KeyID, string(e.Tipo), pg.NullTime(e.Fecha), e.Folio, e.Huella, erroresOf(e.Errores))
		return err
	})
}

// FinishEvento implements [integracion.EventoStore]. The record goes: registros has it now.
func (s *Store) FinishEvento(ctx context.Context, e integracion.EventoRecibido) error {
	err := s.db.InEmpresa(ctx, e.EmpresaID, func(tx pgx.Tx) error {
		err := lockFolio(ctx, tx, e)
		if err != nil {
			return err
		}
		done, err := tx.Exec(ctx, `
			UPDATE eventos SET estado = $3, errores = $4, coincidencias = $5, registro = NULL, decidido_en = clock_timestamp()
			WHERE empresa_id = $1 AND id = $2 AND estado = 'recibido'`,
			string(e.EmpresaID), e.ID, string(e.Estado), erroresOf(e.Errores), e.Coincidencias)
		if err != nil || done.RowsAffected() == 0 {
			return err
		}
		next, err := nextEvento(ctx, tx, e)
		if err != nil || next == "" {
			return err
		}
		return s.queue.ProcessEvento(ctx, tx, e.EmpresaID, next)
	})
	if err != nil {
		return fmt.Errorf("finish evento: %w", err)
	}
	return nil
}

// ListEventos gives an institution's newest events, newest first; an empty estado means
// all.
func (s *Store) ListEventos(ctx context.Context, empresa tenant.EmpresaID, estado integracion.EstadoEvento, limit int) ([]integracion.EventoRecibido, error) {
	var eventos []integracion.EventoRecibido
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			SELECT `+eventoColumns+` FROM eventos
			WHERE empresa_id = $1 AND ($2 = '' OR estado = $2) ORDER BY secuencia DESC LIMIT $3`,
			string(empresa), string(estado), limit)
		if err != nil {
			return err
		}
		eventos, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (integracion.EventoRecibido, error) {
			return scanEvento(row)
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list eventos: %w", err)
	}
	return eventos, nil
}
