package postgres

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// SaveLote writes Registros with distinct folios in one transaction, opens the
// Coincidencias of phase 3 that follow from them, and remembers what the batch was.
func (s *Store) SaveLote(ctx context.Context, empresa tenant.EmpresaID, lote registros.LoteRecibido, regs []registros.RegistroValido) (registros.Guardado, error) {
	m, err := s.save(ctx, escritura{empresa: empresa, filas: filasOf(regs), lote: lote})
	return m.Guardado, err
}

// SaveRegistros does what SaveLote does and tells for each Registro, in the order given,
// its id and what happened to it.
func (s *Store) SaveRegistros(ctx context.Context, empresa tenant.EmpresaID, regs []registros.RegistroValido) (registros.Guardado, []registros.RegistroGuardado, error) {
	m, err := s.save(ctx, escritura{empresa: empresa, filas: filasOf(regs), folios: true})
	if err != nil {
		return registros.Guardado{}, nil, err
	}
	return m.Guardado, m.describe(regs), nil
}

// escritura is a batch on its way into the tables, and what of it is told and remembered
// beside the counts.
type escritura struct {
	empresa tenant.EmpresaID
	filas   []fila
	folios  bool // what became of each
	lote    registros.LoteRecibido
}

// fila is a Registro as it is stored.
type fila struct {
	*registros.Registro
	huella registros.Huella
}

func filasOf(regs []registros.RegistroValido) []fila {
	filas := make([]fila, len(regs))
	for i := range regs {
		r := &regs[i].Registro
		filas[i] = fila{r, r.Huella()}
	}
	return filas
}

// args are the first arguments of a merge.
func (e escritura) args() []any {
	id := uuid.NullUUID{UUID: e.lote.ID, Valid: e.lote.ID != uuid.Nil}
	return []any{string(e.empresa), e.folios, id, e.lote.KeyID, e.lote.Total, e.lote.Rechazados}
}

// merged is what a merge did: the counts, and the pairs of Caso and folio that match. The
// folios by outcome and the ids are filled only when asked for.
type merged struct {
	registros.Guardado
	antes                 int       // Registros that the institution had
	conteo                uuid.UUID // what counts those that are new, in a cluster
	done                  bool      // or nothing was written, for an open Caso is concerned or the quota is near
	creados, actualizados []registros.Folio
	ids                   map[registros.Folio]int64
	pares                 []par
}

func (s *Store) save(ctx context.Context, e escritura) (merged, error) {
	m, err := s.merge(ctx, e)
	if err != nil {
		return merged{}, fmt.Errorf("save registros: %w", err)
	}
	m.SinCambios = len(e.filas) - m.Creados - m.Actualizados
	s.escrituras.note(e.empresa, m.Guardado)
	return m, nil
}

// merge writes the batch.
func (s *Store) merge(ctx context.Context, e escritura) (merged, error) {
	write := e.merge
	if s.db.Clustered() {
		write = e.mergeSpread
	} else if len(e.filas) <= aloneRegistros {
		m, err := s.mergeAlone(ctx, e)
		if err != nil || m.done {
			return m, err
		}
	}
	var m merged
	err := s.db.InEmpresaByKeys(ctx, e.empresa, func(tx pgx.Tx) (err error) {
		m, err = write(ctx, tx)
		if err != nil {
			return err
		}
		err = s.refuseOver(m)
		if err != nil {
			return err
		}
		// Last, for it may end at the row that all changes of the Empresa queue up at.
		m.Coincidencias, err = s.matchContinua(ctx, tx, e, m.pares)
		return err
	})
	return m, err
}

// mergeAlone writes a batch that concerns no open Caso and has room for certain, as is the rule, in
// one round trip.
func (s *Store) mergeAlone(ctx context.Context, e escritura) (merged, error) {
	args := append(e.arrays(), cmp.Or(s.Cuota, math.MaxInt64))
	var m merged
	err := s.db.SendInEmpresaByKeys(ctx, e.empresa, func(batch *pgx.Batch) {
		m = merged{}
		e.queue(batch, mergeAlone, args, &m)
	})
	return m, err
}

// merge writes what is not stored already.
func (e escritura) merge(ctx context.Context, tx pgx.Tx) (merged, error) {
	if e.folios {
		return e.mergeArrays(ctx, tx)
	}
	e, err := e.changed(ctx, tx)
	if err != nil {
		return merged{}, err
	}
	if len(e.filas) <= fewRegistros {
		return e.mergeArrays(ctx, tx)
	}
	return e.mergeCopied(ctx, tx)
}

// scan reads the answer of a merge.
func (m *merged) scan(row pgx.Row) error {
	var casos []registros.CasoID
	var tocados []registros.Folio
	err := row.Scan(&m.done, &m.antes, &m.Creados, &m.Actualizados, &m.creados, &m.actualizados, &casos, &tocados)
	if err != nil {
		return fmt.Errorf("merge registros: %w", err)
	}
	m.pares = pair(casos, tocados)
	return nil
}

// scanIDs reads the ids of Registros.
func (m *merged) scanIDs(rows pgx.Rows) error {
	m.ids = map[registros.Folio]int64{}
	var folio registros.Folio
	var id int64
	_, err := pgx.ForEachRow(rows, []any{&folio, &id}, func() error {
		m.ids[folio] = id
		return nil
	})
	if err != nil {
		return fmt.Errorf("look up ids: %w", err)
	}
	return nil
}

// describe says what became of each Registro.
func (m *merged) describe(regs []registros.RegistroValido) []registros.RegistroGuardado {
	cambios := make(map[registros.Folio]registros.Cambio, len(regs))
	for _, folio := range m.creados {
		cambios[folio] = registros.Creado
	}
	for _, folio := range m.actualizados {
		cambios[folio] = registros.Actualizado
	}
	each := make([]registros.RegistroGuardado, len(regs))
	for i := range regs {
		folio := regs[i].Registro.Folio
		cambio, changed := cambios[folio]
		if !changed {
			cambio = registros.SinCambios
		}
		each[i] = registros.RegistroGuardado{ID: strconv.FormatInt(m.ids[folio], 10), Cambio: cambio}
	}
	return each
}
