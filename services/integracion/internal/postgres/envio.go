package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// BeginIntento implements [entregas.Store]. Rows are locked in the order Reporte,
// Envío, as the deactivation does.
func (s *Store) BeginIntento(ctx context.Context, e entregas.Envio, limit time.Duration, permitted bool) (entregas.Inicio, error) {
	var inicio entregas.Inicio
	err := s.db.InEmpresa(ctx, e.EmpresaID, func(tx pgx.Tx) error {
		var reporte reporteRow
		var actual envioRow
		var salida salida
		var batch pgx.Batch
		lockReporte(&batch, e, &reporte)
		lockEnvio(&batch, e, &actual)
		readSalida(&batch, e.EmpresaID, &salida)
		err := tx.SendBatch(ctx, &batch).Close()
		if err != nil {
			return err
		}
		actual.esperar = max(actual.esperar, reporte.answering)
		inicio = actual.inicio()
		inicio.Institucion, inicio.Clave = salida.institucion, salida.clave
		inicio.Bloqueo = blocked(actual, reporte.active, salida, permitted)
		if inicio.Bloqueo != entregas.SinBloqueo {
			return nil
		}
		inicio.Intento, err = insertIntento(ctx, tx, e, reporte.fila, limit)
		if errors.Is(err, pgx.ErrNoRows) {
			inicio.Bloqueo = entregas.EnCurso
			return nil
		}
		return err
	})
	if err != nil {
		return entregas.Inicio{}, err
	}
	return inicio, nil
}

// blocked looks for what stands in the way, in the order of [entregas.Bloqueo].
func blocked(actual envioRow, active bool, s salida, permitted bool) entregas.Bloqueo {
	switch {
	case actual.estado == entregas.EnvioAceptado, actual.estado == entregas.EnvioRechazado:
		return entregas.YaDecidido
	case !active:
		return entregas.ReporteInactivo
	case s.estado != cuentas.EmpresaActiva:
		return entregas.EmpresaDetenida
	case s.institucion.URL == "" || s.clave.IsZero():
		return entregas.SinConfigurar
	case s.pausada:
		return entregas.EntregaPausada
	case actual.ocupado > 0:
		return entregas.EnCurso
	case actual.esperar > 0:
		return entregas.AunNo
	case !permitted:
		return entregas.PermisoFaltante
	default:
		return entregas.SinBloqueo
	}
}

// reporteRow is the Reporte of an Envío as it stands; the zero value is an unknown one.
type reporteRow struct {
	fila      uuid.UUID
	active    bool
	answering time.Duration // rest of [entregas.AnswerMargin]
}

// lockReporte holds the Reporte's row shared until the attempt is written down, so that a
// deactivation comes either before, and is seen here, or after, and sees the attempt.
func lockReporte(batch *pgx.Batch, e entregas.Envio, r *reporteRow) {
	batch.Queue(`
		SELECT id, estado = 'activo', extract(epoch FROM activado_en + $4::interval - clock_timestamp())::float8
		FROM reportes
		WHERE empresa_id = $1 AND reporte_id = $2 AND ciclo = $3 FOR SHARE`,
		string(e.EmpresaID), e.ReporteID, e.Ciclo, entregas.AnswerMargin).QueryRow(func(row pgx.Row) error {
		var answering float64
		err := row.Scan(&r.fila, &r.active, &answering)
		r.answering = seconds(answering)
		return unlessNone(err, "lock reporte")
	})
}

// unlessNone takes it that there is no row for an answer.
func unlessNone(err error, doing string) error {
	if err == nil || errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// envioRow is an Envío as it stands; the zero value is one that was never tried.
type envioRow struct {
	estado  entregas.EstadoEnvio
	detalle string
	ocupado time.Duration // rest of the attempt under way
	esperar time.Duration // rest of the pause
}

func (r envioRow) inicio() entregas.Inicio {
	return entregas.Inicio{Estado: r.estado, Detalle: r.detalle, Esperar: r.esperar}
}

func lockEnvio(batch *pgx.Batch, e entregas.Envio, r *envioRow) {
	batch.Queue(`
		SELECT estado, coalesce(detalle, ''),
			coalesce(extract(epoch FROM ocupado_hasta - clock_timestamp()), 0)::float8,
			coalesce(extract(epoch FROM siguiente_en - clock_timestamp()), 0)::float8
		FROM envios WHERE empresa_id = $1 AND tipo = $2 AND clave = $3 FOR UPDATE`,
		string(e.EmpresaID), string(e.Tipo), e.Clave).QueryRow(func(row pgx.Row) error {
		var ocupado, esperar float64
		err := row.Scan(&r.estado, &r.detalle, &ocupado, &esperar)
		r.ocupado, r.esperar = seconds(ocupado), seconds(esperar)
		return unlessNone(err, "lock envio")
	})
}

// salida is how the institution calls the platform, and whether it may.
type salida struct {
	estado      cuentas.EstadoEmpresa
	pausada     bool
	institucion cuentas.Institucion
	clave       cuentas.Sellado
}

func readSalida(batch *pgx.Batch, empresa tenant.EmpresaID, s *salida) {
	batch.Queue(`
		SELECT estado, entrega_pausada_en IS NOT NULL, institucion_id, pui_url, pui_clave, pui_clave_llave, coalesce(sitio, '{}')
		FROM empresas WHERE id = $1`, string(empresa)).QueryRow(func(row pgx.Row) error {
		s.institucion.EmpresaID = empresa
		var url, llave *string
		err := row.Scan(&s.estado, &s.pausada, &s.institucion.ID, &url, &s.clave.Datos, &llave, &s.institucion.Sitio)
		s.institucion.URL, s.clave.Llave = pg.Value(url), pg.Value(llave)
		return notFound(err, "read clave towards the platform", empresaMissing)
	})
}

// insertIntento writes an attempt down. The first attempts at one Envío find no row to lock
// and race for envios_clave_key; the loser gets no row. It looks at the whole state again,
// because by then the winner may have been accepted already.
func insertIntento(ctx context.Context, tx pgx.Tx, e entregas.Envio, fila uuid.UUID, limit time.Duration) (entregas.Intento, error) {
	intento := entregas.Intento{Fila: fila}
	err := tx.QueryRow(ctx, `
		WITH envio AS (
			INSERT INTO envios AS e (empresa_id, id, reporte_fila, tipo, clave, fase, intentos, ocupado_hasta)
			VALUES ($1, $2, $3, $4, $5, nullif($6, ''), 1, clock_timestamp() + $7::interval)
			ON CONFLICT ON CONSTRAINT envios_clave_key DO UPDATE
				SET intentos = e.intentos + 1, ocupado_hasta = excluded.ocupado_hasta, siguiente_en = NULL
				WHERE e.estado = 'pendiente'
					AND (e.ocupado_hasta IS NULL OR e.ocupado_hasta <= clock_timestamp())
					AND (e.siguiente_en IS NULL OR e.siguiente_en <= clock_timestamp())
			RETURNING id, intentos
		)
		INSERT INTO envio_intentos (empresa_id, envio_id, numero)
		SELECT $1, id, intentos FROM envio RETURNING envio_id, numero`,
		string(e.EmpresaID), pg.NewID(), fila, string(e.Tipo), e.Clave, e.Fase.String(), limit).
		Scan(&intento.EnvioID, &intento.Numero)
	if err != nil {
		return intento, fmt.Errorf("insert attempt: %w", err)
	}
	return intento, nil
}

// endEnvio applies an outcome to the Envío. What was decided stays decided; one that was
// cancelled while it was under way has nevertheless been told, and says so. An attempt
// that outlived its time may still report a decision, but frees nothing: a newer one may
// be under way.
const endEnvio = `
UPDATE envios SET
	estado = $4,
	decidido_en = CASE WHEN $4 <> 'pendiente' THEN clock_timestamp() END,
	siguiente_en = CASE WHEN $4 = 'pendiente' THEN clock_timestamp() + $5::interval END,
	status = $6, motivo = $7, detalle = nullif($8, '')
WHERE empresa_id = $1 AND id = $2
	AND (estado = 'pendiente' OR estado = 'cancelado' AND $4 IN ('aceptado', 'rechazado'))
	AND (intentos = $3 OR $4 IN ('aceptado', 'rechazado'))`

// EndIntento implements [entregas.Store].
func (s *Store) EndIntento(ctx context.Context, e entregas.Envio, intento entregas.Intento, fin entregas.Fin) error {
	return s.db.InEmpresa(ctx, e.EmpresaID, func(tx pgx.Tx) error {
		var batch pgx.Batch
		batch.Queue(endEnvio, string(e.EmpresaID), intento.EnvioID, intento.Numero,
			string(fin.Estado()), fin.Pausa, nullStatus(fin.Status), fin.Motivo, detalleOf(fin))
		batch.Queue(`
			UPDATE envios SET ocupado_hasta = NULL WHERE empresa_id = $1 AND id = $2 AND intentos = $3`,
			string(e.EmpresaID), intento.EnvioID, intento.Numero)
		batch.Queue(`
			UPDATE envio_intentos SET terminado_en = clock_timestamp(), status = $4, motivo = $5
			WHERE empresa_id = $1 AND envio_id = $2 AND numero = $3`,
			string(e.EmpresaID), intento.EnvioID, intento.Numero, nullStatus(fin.Status), fin.Motivo)
		asiento := asientoDeEnvio(e, intento, fin)
		completeAsiento(&batch, e.EmpresaID, intento, &asiento)
		err := tx.SendBatch(ctx, &batch).Close()
		if err != nil {
			return fmt.Errorf("record outcome: %w", err)
		}
		return insertAsiento(ctx, tx, asiento)
	})
}

// detalleOf is the reason to keep; what was accepted needs none.
func detalleOf(fin entregas.Fin) string {
	if fin.Resultado == envio.Aceptado {
		return ""
	}
	return fin.Detalle
}

// nullStatus writes "no answer" as NULL.
func nullStatus(status int) *int {
	if status == 0 {
		return nil
	}
	return &status
}
