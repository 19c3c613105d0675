package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// createEntrada makes the table that a batch is copied into; COPY into registros itself is
// refused under row-level security. It lives as long as the connection and is empty at the
// start of every transaction, so the system catalogue does not grow with the traffic.
const createEntrada = `
CREATE TEMPORARY TABLE IF NOT EXISTS entrada (
	folio        text  NOT NULL,
	curp         text  NOT NULL,
	tipo_evento  text  NOT NULL,
	fecha_evento date  NOT NULL,
	datos        jsonb NOT NULL,
	huella       bytea NOT NULL
) ON COMMIT DELETE ROWS`

// fewRegistros is up to how many Registros a batch goes as arrays, in one round trip with the
// lock; more are copied, which costs more to begin with and less for each.
const fewRegistros = 200

// fromArrays reads a batch of few Registros.
const fromArrays = `unnest($7::text[], $8::text[], $9::text[], $10::date[], $11::text[]::jsonb[], $12::bytea[])
	AS entrada (folio, curp, tipo_evento, fecha_evento, datos, huella)`

// mergeEntrada writes a batch that was copied, mergeFew one that comes as arrays.
var (
	mergeEntrada = mergeOf("entrada")
	mergeFew     = mergeOf(fromArrays)
)

// mergeOf writes the batch: new folios are created, known ones with another content
// updated, unchanged ones left alone. Of what was written it gives back which open Casos it
// concerns (phase 3); all of them were committed before this transaction took its lock.
// OFFSET 0 keeps that a look-up a record in casos_abiertos_idx: PostgreSQL does not know how
// few records there are, and would rather read all open Casos once. Rows are merged in order
// of folio, so that two batches with the same folios wait for each other instead of
// deadlocking. A batch that has an id ($3) is remembered with its counts.
func mergeOf(entrada string) string {
	return `
WITH escritos AS (
	INSERT INTO registros AS r (empresa_id, folio, curp, tipo_evento, fecha_evento, datos, huella)
	SELECT $1, folio, curp, tipo_evento, fecha_evento, datos, huella FROM ` + entrada + ` ORDER BY folio
	ON CONFLICT (empresa_id, folio) DO UPDATE
	SET curp = excluded.curp, tipo_evento = excluded.tipo_evento, fecha_evento = excluded.fecha_evento,
		datos = excluded.datos, huella = excluded.huella,
		revision = nextval('registros_revision_seq'), actualizado_en = now()
	WHERE r.huella <> excluded.huella
	RETURNING r.folio, r.curp, r.fecha_evento, (r.xmax = 0) AS creado
), recibido AS (
	INSERT INTO lotes (empresa_id, id, key_id, total, rechazados, creados, actualizados)
	SELECT $1, $3::uuid, $4::text, $5::int, $6::int, count(*) FILTER (WHERE creado), count(*) FILTER (WHERE NOT creado)
	FROM escritos HAVING $3 IS NOT NULL
), tocados AS (
	SELECT c.id, e.folio
	FROM escritos e, LATERAL (
		SELECT id FROM casos
		WHERE empresa_id = $1 AND curp = e.curp AND estado <> 'cerrado' AND continua_desde <= e.fecha_evento
		OFFSET 0
	) c
)
SELECT
	(SELECT count(*) FROM escritos WHERE creado),
	(SELECT count(*) FROM escritos WHERE NOT creado),
	(SELECT array_agg(folio ORDER BY folio) FROM escritos WHERE creado AND $2),
	(SELECT array_agg(folio ORDER BY folio) FROM escritos WHERE NOT creado AND $2),
	(SELECT array_agg(id ORDER BY id, folio) FROM tocados),
	(SELECT array_agg(folio ORDER BY id, folio) FROM tocados)`
}

// SaveLote writes Registros with distinct folios in one transaction, opens the
// Coincidencias of phase 3 that follow from them, and remembers what the batch was.
func (s *Store) SaveLote(ctx context.Context, empresa tenant.EmpresaID, lote registros.LoteRecibido, regs []registros.RegistroValido) (registros.Guardado, error) {
	guardado, _, err := s.save(ctx, empresa, regs, anotacion{lote: lote})
	return guardado, err
}

// SaveRegistros does what SaveLote does and tells for each Registro, in the order given,
// its id and what happened to it.
func (s *Store) SaveRegistros(ctx context.Context, empresa tenant.EmpresaID, regs []registros.RegistroValido) (registros.Guardado, []registros.RegistroGuardado, error) {
	return s.save(ctx, empresa, regs, anotacion{folios: true})
}

func (s *Store) save(ctx context.Context, empresa tenant.EmpresaID, regs []registros.RegistroValido, a anotacion) (registros.Guardado, []registros.RegistroGuardado, error) {
	var guardado registros.Guardado
	var each []registros.RegistroGuardado
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		if len(regs) == 0 {
			return noteLote(ctx, tx, empresa, a.lote)
		}
		m, err := merge(ctx, tx, empresa, regs, a)
		if err == nil && a.folios {
			each, err = describe(ctx, tx, empresa, regs, m)
		}
		if err != nil {
			return err
		}
		// Last, for it may end at the row that all changes of the Empresa queue up at.
		m.Coincidencias, err = s.matchContinua(ctx, tx, empresa, m.pares, a.lote.ID)
		guardado = m.Guardado
		return err
	})
	if err != nil {
		return registros.Guardado{}, nil, fmt.Errorf("save registros: %w", err)
	}
	s.escrituras.note(empresa, guardado)
	return guardado, each, nil
}

// merged is what a merge did: the counts, and the pairs of Caso and folio that match. The
// folios by outcome are filled only when asked for.
type merged struct {
	registros.Guardado
	creados, actualizados []registros.Folio
	pares                 []par
}

// anotacion is what of a merge is told and remembered beside the counts.
type anotacion struct {
	folios bool // which were created, which updated
	lote   registros.LoteRecibido
}

// args are the first arguments of a merge.
func (a anotacion) args(empresa tenant.EmpresaID) []any {
	id := uuid.NullUUID{UUID: a.lote.ID, Valid: a.lote.ID != uuid.Nil}
	return []any{string(empresa), a.folios, id, a.lote.KeyID, a.lote.Total, a.lote.Rechazados}
}

// merge writes the batch.
func merge(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, regs []registros.RegistroValido, a anotacion) (merged, error) {
	if len(regs) > fewRegistros {
		err := lockRegistros(ctx, tx, empresa)
		if err != nil {
			return merged{}, err
		}
		err = copyEntrada(ctx, tx, regs)
		if err != nil {
			return merged{}, err
		}
		return readMerged(tx.QueryRow(ctx, mergeEntrada, a.args(empresa)...), len(regs))
	}
	return mergeArrays(ctx, tx, empresa, regs, a)
}

// mergeArrays sends the lock and the merge together. PostgreSQL runs them one after the other,
// so the merge sees what was committed when the lock was given.
func mergeArrays(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, regs []registros.RegistroValido, a anotacion) (merged, error) {
	args, err := arraysOf(regs)
	if err != nil {
		return merged{}, err
	}
	var m merged
	var batch pgx.Batch
	batch.Queue(sharedLock, string(empresa))
	batch.Queue(mergeFew, append(a.args(empresa), args...)...).QueryRow(func(row pgx.Row) error {
		m, err = readMerged(row, len(regs))
		return err
	})
	err = tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return merged{}, fmt.Errorf("merge few: %w", err)
	}
	return m, nil
}

// readMerged reads the answer of a merge of that many Registros.
func readMerged(row pgx.Row, sent int) (merged, error) {
	var m merged
	var casos []registros.CasoID
	var tocados []registros.Folio
	err := row.Scan(&m.Creados, &m.Actualizados, &m.creados, &m.actualizados, &casos, &tocados)
	if err != nil {
		return merged{}, fmt.Errorf("merge registros: %w", err)
	}
	m.SinCambios = sent - m.Creados - m.Actualizados
	m.pares = pair(casos, tocados)
	return m, nil
}

// arraysOf writes a batch as the columns of fromArrays.
func arraysOf(regs []registros.RegistroValido) ([]any, error) {
	folios, curps, tipos := make([]string, len(regs)), make([]string, len(regs)), make([]string, len(regs))
	fechas, datos, huellas := make([]time.Time, len(regs)), make([]string, len(regs)), make([][]byte, len(regs))
	for i := range regs {
		r := &regs[i].Registro
		text, err := marshalDatos(r)
		if err != nil {
			return nil, err
		}
		huella := r.Huella()
		folios[i], curps[i], tipos[i], fechas[i] = string(r.Folio), r.CURP, r.TipoEvento, r.FechaEvento.Time()
		datos[i], huellas[i] = string(text), huella[:]
	}
	return []any{folios, curps, tipos, fechas, datos, huellas}, nil
}

func copyEntrada(ctx context.Context, tx pgx.Tx, regs []registros.RegistroValido) error {
	_, err := tx.Exec(ctx, createEntrada)
	if err != nil {
		return fmt.Errorf("prepare batch: %w", err)
	}
	columns := []string{"folio", "curp", "tipo_evento", "fecha_evento", "datos", "huella"}
	rows := pgx.CopyFromSlice(len(regs), func(i int) ([]any, error) {
		r := &regs[i].Registro
		datos, err := marshalDatos(r)
		if err != nil {
			return nil, err
		}
		huella := r.Huella()
		return []any{r.Folio, r.CURP, r.TipoEvento, r.FechaEvento.Time(), datos, huella[:]}, nil
	})
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"entrada"}, columns, rows)
	if err != nil {
		return fmt.Errorf("copy batch: %w", err)
	}
	return nil
}

// describe looks up the ids of the Registros just written, and says what became of each.
func describe(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, regs []registros.RegistroValido, m merged) ([]registros.RegistroGuardado, error) {
	folios := make([]registros.Folio, len(regs))
	for i := range regs {
		folios[i] = regs[i].Registro.Folio
	}
	ids := make(map[registros.Folio]int64, len(regs))
	rows, err := tx.Query(ctx, `SELECT folio, id FROM registros WHERE empresa_id = $1 AND folio = ANY($2)`, string(empresa), folios)
	if err != nil {
		return nil, fmt.Errorf("look up ids: %w", err)
	}
	var folio registros.Folio
	var id int64
	_, err = pgx.ForEachRow(rows, []any{&folio, &id}, func() error {
		ids[folio] = id
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up ids: %w", err)
	}
	cambios := make(map[registros.Folio]registros.Cambio, len(regs))
	for _, folio := range m.creados {
		cambios[folio] = registros.Creado
	}
	for _, folio := range m.actualizados {
		cambios[folio] = registros.Actualizado
	}
	each := make([]registros.RegistroGuardado, len(regs))
	for i, folio := range folios {
		cambio, changed := cambios[folio]
		if !changed {
			cambio = registros.SinCambios
		}
		each[i] = registros.RegistroGuardado{ID: strconv.FormatInt(ids[folio], 10), Cambio: cambio}
	}
	return each, nil
}
