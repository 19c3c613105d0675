package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// EndIntento implements [entregas.Store], together with what ends at the same time.
func (s *Store) EndIntento(ctx context.Context, e entregas.Envio, intento entregas.Intento, fin entregas.Fin) error {
	_, err := s.finales.Ask(ctx, e.EmpresaID, final{intento: intento, fin: fin, asiento: asientoDeEnvio(ctx, e, intento, fin)})
	return err
}

// final is how an attempt ended, with its entry of the Bitácora.
type final struct {
	intento entregas.Intento
	fin     entregas.Fin
	asiento bitacora.Asiento
}

// endEnvios applies outcomes to Envíos. What was decided stays decided; one that was
// cancelled while it was under way has nevertheless been told, and says so. An attempt
// that outlived its time may still report a decision, but frees nothing: a newer one may
// be under way. The times are found beside, where OFFSET has the planner leave them: a cluster of
// databases takes no call of a function that is not immutable within a CASE or on a column. Each
// is looked up, see newEnvios.
const endEnvios = `
UPDATE envios e SET
	estado = f.estado,
	ocupado_hasta = CASE WHEN intentos <> f.numero THEN ocupado_hasta END,
	decidido_en = CASE WHEN f.estado <> 'pendiente' THEN f.ahora END,
	siguiente_en = CASE WHEN f.estado = 'pendiente' THEN f.siguiente END,
	atascado_en = CASE WHEN f.atascado THEN coalesce(atascado_en, f.ahora) END,
	status = f.status, motivo = f.motivo, detalle = nullif(f.detalle, '')
FROM (
	SELECT *, statement_timestamp() AS ahora, statement_timestamp() + segundos * interval '1 second' AS siguiente
	FROM unnest($2::uuid[], $3::int[], $4::text[], $5::float8[], $6::int[], $7::text[], $8::text[], $9::bool[])
		WITH ORDINALITY AS n (id, numero, estado, segundos, status, motivo, detalle, atascado, n)
	WHERE id = ($2::uuid[])[n]
	OFFSET 0
) f
WHERE e.empresa_id = $1 AND e.id = f.id
	AND (e.estado = 'pendiente' OR e.estado = 'cancelado' AND f.estado IN ('aceptado', 'rechazado'))
	AND (intentos = f.numero OR f.estado IN ('aceptado', 'rechazado'))`

// freeEnvios is for those that were decided otherwise meanwhile.
const freeEnvios = `
UPDATE envios e SET ocupado_hasta = NULL FROM unnest($2::uuid[], $3::int[]) WITH ORDINALITY AS f (id, numero, n)
WHERE e.empresa_id = $1 AND e.id = f.id AND f.id = ($2::uuid[])[n] AND intentos = f.numero AND ocupado_hasta IS NOT NULL`

// endAttempts gives in its order who each attempt was about, and how long it took.
const endAttempts = `
WITH terminados AS (
	UPDATE envio_intentos i SET terminado_en = statement_timestamp(), status = f.status, motivo = f.motivo
	FROM unnest($2::uuid[], $3::int[], $4::uuid[], $5::int[], $6::text[]) WITH ORDINALITY AS f (id, numero, fila, status, motivo, n)
	WHERE i.empresa_id = $1 AND i.envio_id = f.id AND i.numero = f.numero AND f.id = ($2::uuid[])[f.n]
	RETURNING f.n, f.fila, i.terminado_en - i.iniciado_en AS duracion
)
SELECT t.n, r.curp_huella, extract(epoch FROM t.duracion)::float8
FROM terminados t, LATERAL (
	SELECT curp_huella FROM reportes WHERE empresa_id = $1 AND id BETWEEN t.fila AND t.fila ORDER BY id LIMIT 1
) r`

// answersOf counts the answers that an Envío may be stuck for, see [entregas.Historia].
const answersOf = `
SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(terminado_en)), 0)::float8,
	coalesce(extract(epoch FROM clock_timestamp() - max(terminado_en)), 0)::float8,
	EXISTS (SELECT FROM envios e, envios v WHERE e.empresa_id = $1 AND e.id = $2
		AND v.empresa_id = $1 AND v.reporte_fila = e.reporte_fila AND v.id <> e.id AND v.atascado_en IS NOT NULL AND v.estado = 'pendiente')
FROM envio_intentos WHERE empresa_id = $1 AND envio_id = $2 AND (status >= 500 OR status = 404) AND motivo <> $3`

// ReadHistoria implements [entregas.Store].
func (s *Store) ReadHistoria(ctx context.Context, empresa tenant.EmpresaID, envio uuid.UUID) (entregas.Historia, error) {
	var h entregas.Historia
	err := s.db.InEmpresaByKeys(ctx, empresa, func(tx pgx.Tx) error {
		var first, last float64
		err := tx.QueryRow(ctx, answersOf, string(empresa), envio, entregas.MotivoAcceso).Scan(&h.Respuestas, &first, &last, &h.Vecino)
		h.Primera, h.Ultima = seconds(first), seconds(last)
		return err
	})
	if err != nil {
		return h, fmt.Errorf("count answers: %w", err)
	}
	return h, nil
}

// wakeEnvios leaves out what is being worked on: no two wait for each other here.
const wakeEnvios = `
UPDATE envios SET siguiente_en = NULL WHERE empresa_id = $1 AND id = ANY (ARRAY(
	SELECT id FROM envios WHERE empresa_id = $1 AND atascado_en IS NOT NULL AND estado = 'pendiente' FOR UPDATE SKIP LOCKED))`

// WakeEnvios has the stuck Envíos of an institution told again without their pause.
func (s *Store) WakeEnvios(ctx context.Context, empresa tenant.EmpresaID) error {
	err := s.db.InEmpresaByKeys(ctx, empresa, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, wakeEnvios, string(empresa))
		return err
	})
	if err != nil {
		return fmt.Errorf("wake envios: %w", err)
	}
	return nil
}

// endIntentos writes outcomes down, and what they make of the Envíos.
func endIntentos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, ended []final) ([]struct{}, error) {
	var ids, filas []uuid.UUID
	var numeros []int
	var estados, motivos, detalles []string
	var segundos []float64
	var statuses []*int
	var atascados []bool
	for n := range ended {
		intento, fin := ended[n].intento, ended[n].fin
		ids, filas, numeros = append(ids, intento.EnvioID), append(filas, intento.Fila), append(numeros, intento.Numero)
		estados, motivos, detalles = append(estados, string(fin.Estado())), append(motivos, fin.Motivo), append(detalles, detalleOf(fin))
		segundos, statuses = append(segundos, fin.Pausa.Seconds()), append(statuses, null(fin.Status))
		atascados = append(atascados, fin.Atascado)
	}
	var batch pgx.Batch
	var applied int
	batch.Queue(endEnvios, string(empresa), ids, numeros, estados, segundos, statuses, motivos, detalles, atascados).Exec(func(tag pgconn.CommandTag) error {
		applied = int(tag.RowsAffected())
		return nil
	})
	batch.Queue(endAttempts, string(empresa), ids, numeros, filas, statuses, motivos).Query(func(rows pgx.Rows) error {
		var n int
		var huella []byte
		var taken float64
		_, err := pgx.ForEachRow(rows, []any{&n, &huella, &taken}, func() error {
			ended[n-1].asiento.HuellaCURP, ended[n-1].asiento.Duracion = huella, seconds(taken)
			return nil
		})
		return err
	})
	err := tx.SendBatch(ctx, &batch).Close()
	if err == nil && applied < len(ended) {
		_, err = tx.Exec(ctx, freeEnvios, string(empresa), ids, numeros)
	}
	if err != nil {
		return nil, fmt.Errorf("record outcomes: %w", err)
	}
	asientos := make([]bitacora.Asiento, len(ended))
	for n := range ended {
		asientos[n] = ended[n].asiento
	}
	return make([]struct{}, len(ended)), insertAsientos(ctx, tx, empresa, asientos)
}

// detalleOf is the reason to keep; what was accepted needs none.
func detalleOf(fin entregas.Fin) string {
	if fin.Resultado == envio.Aceptado {
		return ""
	}
	return fin.Detalle
}
