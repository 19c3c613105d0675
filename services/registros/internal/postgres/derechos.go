package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// selected is the condition on a Registro of a selection: $2 is a CURP, $3 a folio, of which
// one is empty.
const selected = `empresa_id = $1 AND ($2 <> '' AND curp = $2 OR $3 <> '' AND folio = $3)`

// FindRegistros gives what is kept of a selection, the newest event first.
func (s *Store) FindRegistros(ctx context.Context, empresa tenant.EmpresaID, sel registros.Seleccion) ([]registros.RegistroConservado, error) {
	var all []registros.RegistroConservado
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			SELECT folio, curp, tipo_evento, fecha_evento, datos, creado_en, actualizado_en, (
				SELECT count(*) FROM casos c
				JOIN coincidencias m ON m.empresa_id = c.empresa_id AND m.caso_id = c.id AND m.folio = r.folio AND m.fase <> 1
				WHERE c.empresa_id = r.empresa_id AND c.curp = r.curp AND m.estado = 'notificada')
			FROM registros r WHERE `+selected+`
			ORDER BY fecha_evento DESC, folio`, string(empresa), sel.CURP, string(sel.Folio))
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, scanConservado)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find registros of a person: %w", err)
	}
	return all, nil
}

func scanConservado(row pgx.CollectableRow) (registros.RegistroConservado, error) {
	var r registros.RegistroConservado
	var fecha *time.Time
	var d datos
	err := row.Scan(&r.Folio, &r.CURP, &r.TipoEvento, &fecha, &d, &r.CreadoEn, &r.ActualizadoEn, &r.Notificadas)
	r.FechaEvento = pg.Fecha(fecha)
	d.fill(&r.Registro)
	return r, err
}

// errSimulado rolls back what was done to be counted.
var errSimulado = errors.New("simulated")

// DeleteRegistros erases a selection, and from the Coincidencias what it told: ids, times and
// states stay. What the platform has yet to be told goes out first, or a search would have
// found what nobody heard of. Told to simulate, it counts.
func (s *Store) DeleteRegistros(ctx context.Context, empresa tenant.EmpresaID, sel registros.Seleccion, simular bool) (registros.Borrado, error) {
	var done registros.Borrado
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		var err error
		done, err = deleteRegistros(ctx, tx, empresa, sel)
		if err == nil && simular {
			err = errSimulado
		}
		return err
	})
	if err != nil && !errors.Is(err, errSimulado) {
		return registros.Borrado{}, fmt.Errorf("erase registros of a person: %w", err)
	}
	return done, nil
}

// deleteRegistros locks as a batch does: against an opening, whose Caso it must find or whose
// search must miss nothing; the Registros by folio, the Casos by id, the revision.
func deleteRegistros(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, sel registros.Seleccion) (registros.Borrado, error) {
	done := registros.Borrado{CURP: sel.CURP}
	err := lockRegistros(ctx, tx, empresa)
	if err != nil {
		return done, err
	}
	var curp *string
	err = tx.QueryRow(ctx, `
		WITH borrados AS (
			DELETE FROM registros WHERE empresa_id = $1 AND folio = ANY (ARRAY (
				SELECT folio FROM registros WHERE `+selected+` ORDER BY folio FOR UPDATE))
			RETURNING curp
		)
		SELECT count(*), min(curp) FROM borrados`, string(empresa), sel.CURP, string(sel.Folio)).Scan(&done.Registros, &curp)
	if err != nil {
		return done, fmt.Errorf("delete registros: %w", err)
	}
	if curp != nil {
		done.CURP = *curp
	}
	casos, err := lockConcerned(ctx, tx, empresa, done.CURP, sel.Folio)
	if err != nil || len(casos) == 0 {
		return done, err
	}
	err = refuseUntold(ctx, tx, empresa, casos, sel.Folio)
	if err != nil {
		return done, err
	}
	done.Coincidencias, err = emptyCoincidencias(ctx, tx, empresa, casos, sel.Folio)
	if err != nil {
		return done, err
	}
	return done, bumpRevision(ctx, tx, empresa)
}

// lockConcerned locks the Casos that were found something for in what is erased: those of the
// person, and of a folio those that it matched while it was somebody else's.
func lockConcerned(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, curp string, folio registros.Folio) ([]registros.CasoID, error) {
	rows, err := tx.Query(ctx, `
		SELECT id FROM casos
		WHERE empresa_id = $1 AND (curp = $2 OR $3 <> '' AND id IN (
			SELECT caso_id FROM coincidencias WHERE empresa_id = $1 AND folio = $3))
		ORDER BY id FOR UPDATE`, string(empresa), curp, string(folio))
	if err != nil {
		return nil, fmt.Errorf("lock casos of a person: %w", err)
	}
	casos, err := pgx.CollectRows(rows, pgx.RowTo[registros.CasoID])
	if err != nil {
		return nil, fmt.Errorf("lock casos of a person: %w", err)
	}
	return casos, nil
}

// refuseUntold refuses to erase what is being searched for, or waits to be told.
func refuseUntold(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID, folio registros.Folio) error {
	var waits bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM casos WHERE empresa_id = $1 AND id = ANY ($2) AND estado <> 'cerrado' AND buscado_en IS NULL)
			OR EXISTS (SELECT FROM coincidencias WHERE empresa_id = $1 AND caso_id = ANY ($2) AND estado = 'pendiente'
				AND ($3 = '' OR folio = $3 OR fase = 1))`, string(empresa), casos, string(folio)).Scan(&waits)
	if err != nil {
		return fmt.Errorf("look for what waits: %w", err)
	}
	if waits {
		return errs.New(errores.Conflicto, "Hay coincidencias de esta persona que la plataforma aún no recibe; no se borró nada: repítalo cuando hayan salido.")
	}
	return nil
}

// emptyCoincidencias removes what was told of a folio, or of all. What phase 1 told comes from
// all of a person's Registros. What the platform refused of it cannot be told again.
func emptyCoincidencias(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID, folio registros.Folio) (int, error) {
	tag, err := tx.Exec(ctx, `
		UPDATE coincidencias m SET curp = $4, datos = '{}', detalle = NULL, tipo_evento = CASE WHEN m.fase = 1 THEN NULL ELSE '' END,
			estado = CASE WHEN m.estado = 'rechazada' AND c.estado <> 'cerrado' THEN 'cancelada' ELSE m.estado END
		FROM casos c
		WHERE m.empresa_id = $1 AND m.caso_id = ANY ($2) AND ($3 = '' OR m.folio = $3 OR m.fase = 1) AND m.curp <> $4
			AND c.empresa_id = m.empresa_id AND c.id = m.caso_id`, string(empresa), casos, string(folio), manual.CURPDepurada)
	if err != nil {
		return 0, fmt.Errorf("empty coincidencias: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
