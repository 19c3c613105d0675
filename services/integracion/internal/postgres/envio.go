package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// BeginIntento implements [entregas.Store], together with what begins at the same time.
func (s *Store) BeginIntento(ctx context.Context, e entregas.Envio, limit time.Duration, permitted bool) (entregas.Inicio, error) {
	return s.inicios.Ask(ctx, e.EmpresaID, comienzo{envio: e, limit: limit, permitted: permitted})
}

// comienzo is the wish to begin an attempt, and what stands in its way.
type comienzo struct {
	envio     entregas.Envio
	limit     time.Duration
	permitted bool

	reporte reporteRow
	actual  envioRow
}

// reporteRow is the Reporte of an Envío as it stands; the zero value is an unknown one.
type reporteRow struct {
	fila      uuid.UUID
	active    bool
	answering time.Duration // rest of [entregas.AnswerMargin]
}

// envioRow is an Envío as it stands; the zero value is one that was never tried.
type envioRow struct {
	id      uuid.UUID
	estado  entregas.EstadoEnvio
	detalle string
	ocupado time.Duration // rest of the attempt under way
	esperar time.Duration // rest of the pause

	atascado bool
}

// beginIntentos begins attempts. Rows are locked in the order Reporte, Envío, as the
// deactivation does, and those of several in the order of their keys.
func beginIntentos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, asked []comienzo) ([]entregas.Inicio, error) {
	var salida salida
	var batch pgx.Batch
	lockReportes(&batch, empresa, asked)
	lockEnvios(&batch, empresa, asked)
	readSalida(&batch, empresa, &salida)
	err := tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return nil, err
	}
	inicios := make([]entregas.Inicio, len(asked))
	var free []int
	for n := range asked {
		inicios[n] = asked[n].inicio(salida)
		if inicios[n].Bloqueo == entregas.SinBloqueo {
			free = append(free, n)
		}
	}
	if len(free) == 0 {
		return inicios, nil
	}
	return inicios, insertIntentos(ctx, tx, empresa, asked, inicios, free)
}

// inicio looks for what stands in the way, in the order of [entregas.Bloqueo].
func (c *comienzo) inicio(s salida) entregas.Inicio {
	esperar := max(c.actual.esperar, c.reporte.answering)
	return entregas.Inicio{
		Bloqueo:     blocked(c.actual, c.reporte.active, esperar, s, c.permitted),
		Institucion: s.institucion, Clave: s.clave,
		Estado: c.actual.estado, Detalle: c.actual.detalle, Esperar: esperar, Atascado: c.actual.atascado,
	}
}

func blocked(actual envioRow, active bool, esperar time.Duration, s salida, permitted bool) entregas.Bloqueo {
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
	case esperar > 0:
		return entregas.AunNo
	case !permitted:
		return entregas.PermisoFaltante
	default:
		return entregas.SinBloqueo
	}
}

const lockedReportes = `
SELECT p.n, r.id, r.estado = 'activo', extract(epoch FROM r.activado_en + $4::interval - clock_timestamp())::float8
FROM (SELECT * FROM unnest($2::text[], $3::int[]) WITH ORDINALITY AS n (reporte_id, ciclo, n) ORDER BY reporte_id, ciclo) p, LATERAL (
	SELECT id, estado, activado_en FROM reportes
	WHERE empresa_id = $1 AND reporte_id = p.reporte_id AND ciclo BETWEEN p.ciclo AND p.ciclo ORDER BY ciclo LIMIT 1 FOR SHARE
) r`

// lockReportes holds the Reportes' rows shared until the attempts are written down, so that a
// deactivation comes either before, and is seen here, or after, and sees the attempt.
func lockReportes(batch *pgx.Batch, empresa tenant.EmpresaID, asked []comienzo) {
	ids, ciclos := make([]string, len(asked)), make([]int, len(asked))
	for n := range asked {
		ids[n], ciclos[n] = asked[n].envio.ReporteID, asked[n].envio.Ciclo
	}
	batch.Queue(lockedReportes, string(empresa), ids, ciclos, entregas.AnswerMargin).Query(func(rows pgx.Rows) error {
		var n int
		var read reporteRow
		var answering float64
		_, err := pgx.ForEachRow(rows, []any{&n, &read.fila, &read.active, &answering}, func() error {
			read.answering = seconds(answering)
			asked[n-1].reporte = read
			return nil
		})
		return wrapped(err, "lock reportes")
	})
}

// wrapped names what was done for an error.
func wrapped(err error, doing string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

const lockedEnvios = `
SELECT p.n, e.id, e.estado, coalesce(e.detalle, ''),
	coalesce(extract(epoch FROM e.ocupado_hasta - clock_timestamp()), 0)::float8,
	coalesce(extract(epoch FROM e.siguiente_en - clock_timestamp()), 0)::float8, e.atascado_en IS NOT NULL
FROM (SELECT * FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS n (tipo, clave, n) ORDER BY tipo, clave) p, LATERAL (
	SELECT id, estado, detalle, ocupado_hasta, siguiente_en, atascado_en FROM envios
	WHERE empresa_id = $1 AND tipo = p.tipo AND clave BETWEEN p.clave AND p.clave ORDER BY clave LIMIT 1 FOR UPDATE
) e`

func lockEnvios(batch *pgx.Batch, empresa tenant.EmpresaID, asked []comienzo) {
	tipos, claves := make([]string, len(asked)), make([]string, len(asked))
	for n := range asked {
		tipos[n], claves[n] = string(asked[n].envio.Tipo), asked[n].envio.Clave
	}
	batch.Queue(lockedEnvios, string(empresa), tipos, claves).Query(func(rows pgx.Rows) error {
		var n int
		var read envioRow
		var ocupado, esperar float64
		_, err := pgx.ForEachRow(rows, []any{&n, &read.id, &read.estado, &read.detalle, &ocupado, &esperar, &read.atascado}, func() error {
			read.ocupado, read.esperar = seconds(ocupado), seconds(esperar)
			asked[n-1].actual = read
			return nil
		})
		return wrapped(err, "lock envios")
	})
}

// salida is how the institution calls the platform, and whether it may.
type salida struct {
	estado      cuentas.EstadoEmpresa
	pausada     bool
	institucion cuentas.Institucion
	clave       cuentas.Sellado
}

const salidaOf = `
SELECT estado, entrega_pausada_en IS NOT NULL, institucion_id, pui_url, pui_clave, pui_clave_llave, coalesce(sitio, '{}'), coalesce(tipo_evento_neutro, '')
FROM empresas WHERE id = $1`

func readSalida(batch *pgx.Batch, empresa tenant.EmpresaID, s *salida) {
	batch.Queue(salidaOf, string(empresa)).QueryRow(func(row pgx.Row) error {
		s.institucion.EmpresaID = empresa
		var url, llave *string
		err := row.Scan(&s.estado, &s.pausada, &s.institucion.ID, &url, &s.clave.Datos, &llave, &s.institucion.Sitio, &s.institucion.TipoEventoNeutro)
		s.institucion.URL, s.clave.Llave = pg.Value(url), pg.Value(llave)
		return notFound(err, "read clave towards the platform", cuentas.EmpresaMissing)
	})
}

// The first attempts at one Envío find no row to lock and race for envios_clave_key; the losers
// have none then, and get no attempt. That an id is the n-th is always so: PostgreSQL then expects
// one row, and looks it up (architecture.md, section 4).
const (
	newEnvios = `
INSERT INTO envios (empresa_id, intentos, ocupado_hasta, id, reporte_fila, tipo, clave, fase)
VALUES ($1, 1, statement_timestamp() + $2::interval, unnest($3::uuid[]), unnest($4::uuid[]), unnest($5::text[]), unnest($6::text[]), unnest($7::text[]))
ON CONFLICT (empresa_id, tipo, clave) DO NOTHING`

	againEnvios = `
UPDATE envios SET intentos = intentos + 1, ocupado_hasta = statement_timestamp() + $2::interval, siguiente_en = NULL
FROM unnest($3::uuid[]) WITH ORDINALITY AS f (id, n)
WHERE empresa_id = $1 AND envios.id = f.id AND f.id = ($3::uuid[])[n] AND estado = 'pendiente'`

	newIntentos = `
INSERT INTO envio_intentos AS i (empresa_id, envio_id, numero, iniciado_en)
SELECT e.empresa_id, e.id, intentos, statement_timestamp() FROM unnest($2::uuid[]) AS f (id), LATERAL (
	SELECT empresa_id, id, intentos FROM envios
	WHERE empresa_id = $1 AND id BETWEEN f.id AND f.id AND estado = 'pendiente' ORDER BY id LIMIT 1
) e
RETURNING i.envio_id, i.numero`
)

// insertIntentos writes the free ones down.
func insertIntentos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, asked []comienzo, inicios []entregas.Inicio, free []int) error {
	places := make(map[uuid.UUID]int, len(free))
	var nuevos enviosNuevos
	var again []uuid.UUID
	var limit time.Duration
	for _, n := range free {
		c := &asked[n]
		if c.actual.id == uuid.Nil {
			c.actual.id = pg.NewID()
			nuevos.add(c)
		} else {
			again = append(again, c.actual.id)
		}
		places[c.actual.id], limit = n, max(limit, c.limit)
		// Until it is written down: who loses a race looks again later, when the winner may
		// have been accepted already.
		inicios[n].Bloqueo = entregas.EnCurso
	}
	var batch pgx.Batch
	nuevos.queue(&batch, empresa, limit)
	if len(again) > 0 {
		batch.Queue(againEnvios, string(empresa), limit, again)
	}
	batch.Queue(newIntentos, string(empresa), slices.Collect(maps.Keys(places))).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		var numero int
		_, err := pgx.ForEachRow(rows, []any{&id, &numero}, func() error {
			n := places[id]
			inicios[n].Bloqueo = entregas.SinBloqueo
			inicios[n].Intento = entregas.Intento{EnvioID: id, Numero: numero, Fila: asked[n].reporte.fila}
			return nil
		})
		return err
	})
	return wrapped(tx.SendBatch(ctx, &batch).Close(), "insert attempts")
}

// enviosNuevos are the columns of Envíos that were never tried.
type enviosNuevos struct {
	ids, filas    []uuid.UUID
	tipos, claves []string
	fases         []*string
}

func (e *enviosNuevos) add(c *comienzo) {
	e.ids, e.filas = append(e.ids, c.actual.id), append(e.filas, c.reporte.fila)
	e.tipos, e.claves, e.fases = append(e.tipos, string(c.envio.Tipo)), append(e.claves, c.envio.Clave), append(e.fases, null(c.envio.Fase.String()))
}

func (e *enviosNuevos) queue(batch *pgx.Batch, empresa tenant.EmpresaID, limit time.Duration) {
	if len(e.ids) > 0 {
		batch.Queue(newEnvios, string(empresa), limit, e.ids, e.filas, e.tipos, e.claves, e.fases)
	}
}
