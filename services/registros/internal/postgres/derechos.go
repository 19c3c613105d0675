package postgres

import (
	"cmp"
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

// CountRegistros tells how much is kept of a selection.
func (s *Store) CountRegistros(ctx context.Context, empresa tenant.EmpresaID, sel registros.Seleccion) (int, error) {
	var total int
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT count(*) FROM registros WHERE `+selected, string(empresa), sel.CURP, string(sel.Folio)).Scan(&total)
	})
	if err != nil {
		return 0, fmt.Errorf("count registros of a person: %w", err)
	}
	return total, nil
}

// eachConservado reads on in registros_persona_idx, from the newest event to the oldest.
const eachConservado = `
	SELECT id, folio, curp, tipo_evento, fecha_evento, datos, creado_en, actualizado_en, (
		SELECT count(*) FROM coincidencias m JOIN casos c ON c.empresa_id = m.empresa_id AND c.id = m.caso_id
		WHERE m.empresa_id = $1 AND m.folio = r.folio AND m.fase <> 1 AND m.estado = 'notificada' AND c.curp = r.curp)
	FROM registros r WHERE ` + selected + ` AND (fecha_evento, id) < (coalesce($4::date, 'infinity'), $5)
	ORDER BY fecha_evento DESC, id DESC LIMIT $6`

// EachConservado hands over what is kept of a selection as EachCasos does, the newest event first.
func (s *Store) EachConservado(ctx context.Context, empresa tenant.EmpresaID, sel registros.Seleccion, yield func([]registros.RegistroConservado) error) error {
	var last registros.RegistroConservado
	return eachChunk(ctx, s.primary(empresa), func(tx pgx.Tx) (pgx.Rows, error) {
		return tx.Query(ctx, eachConservado, string(empresa), sel.CURP, string(sel.Folio), pg.Date(last.FechaEvento), last.ID, chunkRows)
	}, scanConservado, func(chunk []registros.RegistroConservado) error {
		last = chunk[len(chunk)-1]
		return yield(chunk)
	})
}

func scanConservado(row pgx.CollectableRow) (registros.RegistroConservado, error) {
	var r registros.RegistroConservado
	var fecha *time.Time
	var d datos
	err := row.Scan(&r.ID, &r.Folio, &r.CURP, &r.TipoEvento, &fecha, &d, &r.CreadoEn, &r.ActualizadoEn, &r.Notificadas)
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
	folios, curp, err := deleteSelected(ctx, tx, empresa, sel)
	if err != nil {
		return done, err
	}
	done.Registros, done.CURP = len(folios), cmp.Or(sel.CURP, curp)
	err = countDeleted(ctx, tx, empresa, len(folios))
	if err != nil {
		return done, err
	}
	if sel.Folio != "" {
		folios = append(folios, sel.Folio)
	}
	c, err := lockConcerned(ctx, tx, empresa, done.CURP, sel, folios)
	if err != nil || len(c.casos) == 0 {
		return done, err
	}
	// What an erasure that is made again finds waiting was told before it was made.
	if sel.Antes.IsZero() {
		err = c.refuseUntold(ctx, tx)
	}
	if err != nil {
		return done, err
	}
	done.Coincidencias, err = c.emptyCoincidencias(ctx, tx)
	if err != nil {
		return done, err
	}
	return done, bumpRevision(ctx, tx, empresa)
}

// deleteSelected deletes the Registros of a selection and tells their folios, and whose they were.
func deleteSelected(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, sel registros.Seleccion) (folios []registros.Folio, curp string, err error) {
	err = tx.QueryRow(ctx, `
		WITH borrados AS (
			DELETE FROM registros WHERE empresa_id = $1 AND folio = ANY (ARRAY (
				SELECT folio FROM registros WHERE `+selected+` AND ($4::timestamptz IS NULL OR creado_en < $4)
				ORDER BY folio COLLATE "C" FOR UPDATE))
			RETURNING folio, curp
		)
		SELECT coalesce(array_agg(folio), '{}'), coalesce(min(curp), '') FROM borrados`,
		string(empresa), sel.CURP, string(sel.Folio), pg.NullTime(sel.Antes)).Scan(&folios, &curp)
	if err != nil {
		return nil, "", fmt.Errorf("delete registros: %w", err)
	}
	return folios, curp, nil
}

// concerned are the Casos that were found something for in what is erased.
type concerned struct {
	empresa tenant.EmpresaID
	casos   []registros.CasoID
	enteros []registros.CasoID // those of them of which all is erased, whatever the folio
	folios  []registros.Folio
	antes   time.Time
}

// findConcerned finds the Casos of the person, and those that a folio matched while it was
// somebody else's.
const findConcerned = `
	SELECT id, curp = $4 FROM casos
	WHERE empresa_id = $1 AND id = ANY (ARRAY (
		SELECT id FROM casos WHERE empresa_id = $1 AND curp = $2
		UNION SELECT caso_id FROM coincidencias WHERE empresa_id = $1 AND folio = ANY ($3)))
	ORDER BY id FOR UPDATE`

// lockConcerned locks the Casos concerned. Of a person's own all is erased.
func lockConcerned(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, curp string, sel registros.Seleccion, folios []registros.Folio) (concerned, error) {
	c := concerned{empresa: empresa, folios: folios, antes: sel.Antes}
	rows, err := tx.Query(ctx, findConcerned, string(empresa), curp, folios, sel.CURP)
	if err != nil {
		return c, fmt.Errorf("lock casos of a person: %w", err)
	}
	var id registros.CasoID
	var entero bool
	_, err = pgx.ForEachRow(rows, []any{&id, &entero}, func() error {
		c.casos = append(c.casos, id)
		if entero {
			c.enteros = append(c.enteros, id)
		}
		return nil
	})
	if err != nil {
		return c, fmt.Errorf("lock casos of a person: %w", err)
	}
	return c, nil
}

// told is the condition on a Coincidencia of phases 2 and 3 that told what is erased.
const told = `m.empresa_id = $1 AND m.caso_id = ANY ($2) AND m.fase <> 1 AND (m.caso_id = ANY ($3) OR m.folio = ANY ($4))`

// refuseUntold refuses to erase what is being searched for, or waits to be told.
func (c concerned) refuseUntold(ctx context.Context, tx pgx.Tx) error {
	var waits bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM casos WHERE empresa_id = $1 AND id = ANY ($2) AND estado <> 'cerrado' AND buscado_en IS NULL)
			OR EXISTS (SELECT FROM coincidencias WHERE empresa_id = $1 AND caso_id = ANY ($2) AND fase = 1 AND estado = 'pendiente')
			OR EXISTS (SELECT FROM coincidencias m WHERE `+told+` AND estado = 'pendiente')`, string(c.empresa), c.casos, c.enteros, c.folios).Scan(&waits)
	if err != nil {
		return fmt.Errorf("look for what waits: %w", err)
	}
	if waits {
		return errs.New(errores.Conflicto, "Hay coincidencias de esta persona que la plataforma aún no recibe; no se borró nada: repítalo cuando hayan salido.")
	}
	return nil
}

// bare is what is left of a Coincidencia: an institution may write what it likes into a folio, a
// CURP too. What the platform refused of it cannot be told again, and must not hold up the
// erasure: it may never be taken.
const bare = `curp = '` + manual.CURPDepurada + `', folio = '', datos = '{}', detalle = NULL,
	estado = CASE WHEN m.estado = 'pendiente' OR m.estado = 'rechazada' AND c.estado <> 'cerrado' THEN 'cancelada' ELSE m.estado END
	FROM casos c WHERE c.empresa_id = $1 AND c.id = m.caso_id AND m.curp <> '` + manual.CURPDepurada + `' AND `

// emptyBasicos and emptyEventos are two for the reason of purgeCoincidencias. What phase 1
// told comes from all of a person's Registros.
const (
	emptyBasicos = `UPDATE coincidencias m SET ` + bare + `m.empresa_id = $1 AND m.caso_id = ANY ($2) AND m.fase = 1
		AND ($3::timestamptz IS NULL OR m.detectada_en < $3) RETURNING m.id`
	emptyEventos = `UPDATE coincidencias m SET tipo_evento = '', ` + bare + told + `
		AND ($5::timestamptz IS NULL OR m.detectada_en < $5) RETURNING m.id`
)

// emptyCoincidencias removes what was told of what is erased, and gives where.
func (c concerned) emptyCoincidencias(ctx context.Context, tx pgx.Tx) ([]registros.CoincidenciaID, error) {
	basicos, err := emptied(ctx, tx, emptyBasicos, string(c.empresa), c.casos, pg.NullTime(c.antes))
	if err != nil {
		return nil, fmt.Errorf("empty coincidencias of phase 1: %w", err)
	}
	eventos, err := emptied(ctx, tx, emptyEventos, string(c.empresa), c.casos, c.enteros, c.folios, pg.NullTime(c.antes))
	if err != nil {
		return nil, fmt.Errorf("empty coincidencias: %w", err)
	}
	return append(basicos, eventos...), nil
}

func emptied(ctx context.Context, tx pgx.Tx, update string, args ...any) ([]registros.CoincidenciaID, error) {
	rows, err := tx.Query(ctx, update, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[registros.CoincidenciaID])
}

// conocidas are whom an institution knows of and what it names them by.
const (
	personasConocidas = `SELECT curp FROM registros WHERE empresa_id = $1 UNION SELECT curp FROM casos WHERE empresa_id = $1`
	foliosConocidos   = `SELECT folio FROM registros WHERE empresa_id = $1 UNION SELECT folio FROM coincidencias WHERE empresa_id = $1`
)

// EachSeleccion hands over every selection that an institution has something of, by CURP and by
// folio. It reads all of the institution.
func (s *Store) EachSeleccion(ctx context.Context, empresa tenant.EmpresaID, yield func(registros.Seleccion)) error {
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		var text string
		for query, of := range map[string]func() registros.Seleccion{
			personasConocidas: func() registros.Seleccion { return registros.Seleccion{CURP: text} },
			foliosConocidos:   func() registros.Seleccion { return registros.Seleccion{Folio: registros.Folio(text)} },
		} {
			rows, err := tx.Query(ctx, query, string(empresa))
			if err != nil {
				return err
			}
			_, err = pgx.ForEachRow(rows, []any{&text}, func() error { yield(of()); return nil })
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read whom an institution knows: %w", err)
	}
	return nil
}
