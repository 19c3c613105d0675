package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// fewRegistros is up to how many Registros a batch goes as arrays; more are copied, which
	// costs more to begin with and less for each.
	fewRegistros = 500
	// aloneRegistros is up to how many it is tried in one round trip whether none concerns an
	// open Caso. Of more, one may, and of many the round trips are a small part.
	aloneRegistros = 20
	// sampleRegistros are looked at to tell whether it is worth looking what of a batch is
	// stored already.
	sampleRegistros = 16
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

// unchanged holds of an entrada that is stored as it came. It is a look-up in registros_pkey (see
// openCoincidencias); without OFFSET an EXISTS would leave its order out.
const unchanged = `EXISTS (
	SELECT FROM registros ya
	WHERE ya.empresa_id = $1 AND ya.folio BETWEEN entrada.folio AND entrada.folio AND ya.huella = entrada.huella
	ORDER BY ya.folio OFFSET 0)`

// fromArrays reads a batch of few Registros.
const fromArrays = `unnest($7::text[], $8::text[], $9::text[], $10::date[], $11::text[]::jsonb[], $12::bytea[])
	AS entrada (folio, curp, tipo_evento, fecha_evento, datos, huella)`

// meetsCaso holds of a batch of few Registros that an open Caso may be concerned with.
const meetsCaso = `EXISTS (
	SELECT FROM unnest($8::text[]) AS entrada (curp), LATERAL (
		SELECT FROM casos
		WHERE empresa_id = $1 AND curp BETWEEN entrada.curp AND entrada.curp AND estado <> 'cerrado'
		ORDER BY curp
	) c)`

// hasRoom holds of a batch of few Registros that may all be new within the quota ($13).
const hasRoom = `(SELECT registros FROM habia) + cardinality($7::text[]) <= $13::bigint`

// mergeEntrada writes a batch that was copied, mergeFew one that comes as arrays. mergeAlone
// writes one that comes as arrays if it meets no open Caso and has room, and leaves out what is
// stored already.
var (
	mergeEntrada = mergeOf("", "entrada", "true")
	mergeFew     = mergeOf("", fromArrays, "true")
	mergeAlone   = mergeOf("nueva AS MATERIALIZED (SELECT * FROM "+fromArrays+" WHERE NOT "+unchanged+"), ", "nueva", "NOT "+meetsCaso+" AND "+hasRoom)
)

// overwrite leaves alone what did not change, and tells of the rest whether it is new.
const overwrite = `
	ON CONFLICT (empresa_id, folio) DO UPDATE
	SET curp = excluded.curp, tipo_evento = excluded.tipo_evento, fecha_evento = excluded.fecha_evento,
		datos = excluded.datos, huella = excluded.huella,
		revision = excluded.revision, actualizado_en = excluded.actualizado_en
	WHERE r.huella <> excluded.huella
	RETURNING r.folio, r.curp, (r.xmax = 0) AS creado`

// mergeOf writes the batch, if the condition holds, and tells whether it did: new folios are
// created, known ones with another content updated, unchanged ones left alone. Of what was
// written it gives back which open Casos it concerns (phase 3); all of them were committed
// before this transaction took its lock.
// That is a look-up a record in casos_abiertos_idx (see openCoincidencias): PostgreSQL does not know
// how few records there are, and would rather read all open Casos once. Rows are merged in order
// of folio, so that two batches with the same folios wait for each other instead of
// deadlocking. What it creates is counted (see sumConteos), and how many Registros there were before
// is told. A batch that has an id ($3) is remembered with its counts. A cluster has
// statements of its own, see mergeSpread.
func mergeOf(before, entrada, condition string) string {
	return `
WITH habia (registros) AS MATERIALIZED (` + sumConteos + `), ` + before + `permitido AS MATERIALIZED (
	SELECT true AS si WHERE ` + condition + `
), numerada AS MATERIALIZED (
	SELECT folio, curp, tipo_evento, fecha_evento, datos, huella, nextval('registros_id_seq') AS id, nextval('registros_revision_seq') AS revision
	FROM permitido, ` + entrada + `
), escritos AS (
	INSERT INTO registros AS r (empresa_id, folio, id, curp, tipo_evento, fecha_evento, datos, huella, revision)
	SELECT $1, folio, id, curp, tipo_evento, fecha_evento, datos, huella, revision FROM numerada ORDER BY folio COLLATE "C"` + overwrite + `
), contados AS (` + countEscritos + `
), recibido AS (
	INSERT INTO lotes (empresa_id, id, key_id, total, rechazados, creados, actualizados)
	SELECT $1, $3::uuid, $4::text, $5::int, $6::int, count(*) FILTER (WHERE creado), count(*) FILTER (WHERE NOT creado)
	FROM escritos HAVING $3 IS NOT NULL AND EXISTS (SELECT FROM permitido)
), tocados AS (
	SELECT c.id, e.folio
	FROM escritos e, LATERAL (
		SELECT id FROM casos
		WHERE empresa_id = $1 AND curp BETWEEN e.curp AND e.curp AND estado <> 'cerrado'
		ORDER BY curp
	) c
)
SELECT
	EXISTS (SELECT FROM permitido),
	(SELECT registros FROM habia),
	(SELECT count(*) FROM escritos WHERE creado),
	(SELECT count(*) FROM escritos WHERE NOT creado),
	(SELECT array_agg(folio ORDER BY folio) FROM escritos WHERE creado AND $2),
	(SELECT array_agg(folio ORDER BY folio) FROM escritos WHERE NOT creado AND $2),
	(SELECT array_agg(id ORDER BY id, folio) FROM tocados),
	(SELECT array_agg(folio ORDER BY id, folio) FROM tocados)`
}

// idsOf are the ids of Registros, each looked up in registros_pkey (see openCoincidencias).
const idsOf = `
SELECT r.* FROM unnest($2::text[]) AS n (folio), LATERAL (
	SELECT folio, id FROM registros WHERE empresa_id = $1 AND folio BETWEEN n.folio AND n.folio ORDER BY folio LIMIT 1
) r`

// arrays writes a batch as the arguments of a merge from arrays.
func (e escritura) arrays() []any {
	folios, curps, tipos, fechas, datos, huellas := e.columns()
	return append(e.args(), folios, curps, tipos, fechas, datos, huellas)
}

// columns writes a batch as arrays, one for each column.
func (e escritura) columns() (folios, curps, tipos []string, fechas []time.Time, datos, huellas [][]byte) {
	n := len(e.filas)
	folios, curps, tipos = foliosOf(e.filas), make([]string, n), make([]string, n)
	fechas, datos, huellas = make([]time.Time, n), make([][]byte, n), make([][]byte, n)
	var text []byte // of all, one after the other
	for i := range e.filas {
		f := &e.filas[i]
		start := len(text)
		text = appendDatos(text, f.Registro)
		curps[i], tipos[i], fechas[i] = f.CURP, f.TipoEvento, f.FechaEvento.Time()
		datos[i], huellas[i] = text[start:], f.huella[:]
	}
	return folios, curps, tipos, fechas, datos, huellas
}

func foliosOf(filas []fila) []string {
	folios := make([]string, len(filas))
	for i := range filas {
		folios[i] = string(filas[i].Folio)
	}
	return folios
}

// queue sends the lock and a merge from arrays together. PostgreSQL runs them one after the
// other, so the merge sees what was committed when the lock was given.
func (e escritura) queue(batch *pgx.Batch, statement string, args []any, m *merged) {
	batch.Queue(sharedLock, string(e.empresa))
	batch.Queue(statement, args...).QueryRow(m.scan)
	if e.folios {
		batch.Queue(idsOf, string(e.empresa), args[len(e.args())]).Query(m.scanIDs)
	}
}

func (e escritura) mergeArrays(ctx context.Context, tx pgx.Tx) (merged, error) {
	var m merged
	var batch pgx.Batch
	e.queue(&batch, mergeFew, e.arrays(), &m)
	err := tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return merged{}, fmt.Errorf("merge few: %w", err)
	}
	return m, nil
}

// findChanged gives the places, from 1, of what is not stored as it came.
const findChanged = `
SELECT coalesce(array_agg(n), '{}') FROM unnest($2::text[], $3::bytea[]) WITH ORDINALITY AS entrada (folio, huella, n)
WHERE NOT ` + unchanged

// changed takes the lock and gives what of a batch is not stored already: what is, need not be
// sent. Who changes that at the same time comes after this batch.
func (e escritura) changed(ctx context.Context, tx pgx.Tx) (escritura, error) {
	sample := e
	sample.filas = nil
	for i := 0; i < len(e.filas); i += 1 + len(e.filas)/sampleRegistros {
		sample.filas = append(sample.filas, e.filas[i])
	}
	places, err := sample.lockAndCompare(ctx, tx)
	if err != nil || len(places) == len(sample.filas) {
		return e, err
	}
	places, err = e.lockAndCompare(ctx, tx)
	if err != nil {
		return e, err
	}
	filas := make([]fila, len(places))
	for i, n := range places {
		filas[i] = e.filas[n-1]
	}
	e.filas = filas
	return e, nil
}

// lockAndCompare takes the lock, which may be held already, and gives the places of what changed.
func (e escritura) lockAndCompare(ctx context.Context, tx pgx.Tx) (places []int, err error) {
	huellas := make([][]byte, len(e.filas))
	for i := range e.filas {
		huellas[i] = e.filas[i].huella[:]
	}
	var batch pgx.Batch
	batch.Queue(sharedLock, string(e.empresa))
	batch.Queue(findChanged, string(e.empresa), foliosOf(e.filas), huellas).QueryRow(func(row pgx.Row) error { return row.Scan(&places) })
	err = tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return nil, fmt.Errorf("find what changed: %w", err)
	}
	return places, nil
}

// mergeCopied writes a batch whose lock is held.
func (e escritura) mergeCopied(ctx context.Context, tx pgx.Tx) (merged, error) {
	_, err := tx.Exec(ctx, createEntrada)
	if err != nil {
		return merged{}, fmt.Errorf("prepare batch: %w", err)
	}
	columns := []string{"folio", "curp", "tipo_evento", "fecha_evento", "datos", "huella"}
	var datos []byte // of the row at hand, which is sent before the next is asked for
	rows := pgx.CopyFromSlice(len(e.filas), func(i int) ([]any, error) {
		f := &e.filas[i]
		datos = appendDatos(datos[:0], f.Registro)
		return []any{string(f.Folio), f.CURP, f.TipoEvento, f.FechaEvento.Time(), datos, f.huella[:]}, nil
	})
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"entrada"}, columns, rows)
	if err != nil {
		return merged{}, fmt.Errorf("copy batch: %w", err)
	}
	var m merged
	err = m.scan(tx.QueryRow(ctx, mergeEntrada, e.args()...))
	return m, err
}
