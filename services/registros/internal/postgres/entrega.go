package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/rivertype"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// Pasos are the steps of a Caso's delivery, which share their transactions with the steps of
// other Casos. When nothing is left to tell, the Job ends in the transaction that finds so.
// That one holds the Caso's row: whoever adds a Coincidencia locks it first, so what was added
// either is seen here, or finds the delivery ended and enqueues another one. Nil: nothing is
// to be ended.
type Pasos struct {
	Store *Store
	Job   *rivertype.JobRow
}

// NextPaso implements [registros.PasoStore].
func (p Pasos) NextPaso(ctx context.Context, empresa tenant.EmpresaID, caso registros.CasoID) (registros.Paso, error) {
	return p.Store.pasos.Ask(ctx, empresa, entrega{caso: caso, job: p.Job})
}

// RecordPaso implements [registros.PasoStore].
func (p Pasos) RecordPaso(ctx context.Context, empresa tenant.EmpresaID, caso registros.CasoID, paso registros.Paso, r envio.Respuesta) (registros.Paso, error) {
	return p.Store.pasos.Ask(ctx, empresa, entrega{caso: caso, job: p.Job, taken: paso, respuesta: r})
}

// entrega is a delivery that asks for its next step, and what of its Caso that depends on.
type entrega struct {
	caso      registros.CasoID
	job       *rivertype.JobRow
	taken     registros.Paso // to be recorded; zero at the first look; its Tras goes on
	respuesta envio.Respuesta

	avance registros.Avance
}

// takePasos records the steps that were taken and gives the next ones.
func takePasos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, asked []entrega) ([]registros.Paso, error) {
	// The Casos' rows before the Coincidencias', as whoever closes a Caso.
	byCaso, err := lockEntregas(ctx, tx, empresa, asked)
	if err != nil {
		return nil, err
	}
	changed, err := recordPasos(ctx, tx, empresa, asked)
	if err != nil {
		return nil, err
	}
	err = readFirstPendientes(ctx, tx, empresa, byCaso)
	if err != nil {
		return nil, err
	}
	pasos := make([]registros.Paso, len(asked))
	var ended []*rivertype.JobRow
	for n := range asked {
		pasos[n] = asked[n].avance.Next()
		if pasos[n] == (registros.Paso{}) && asked[n].avance.Tras == (registros.Lugar{}) && asked[n].job != nil {
			ended = append(ended, asked[n].job)
		}
	}
	err = jobs.Complete(ctx, tx, ended)
	if err != nil || !changed {
		return pasos, err
	}
	return pasos, bumpRevision(ctx, tx, empresa)
}

// phasesSearched holds when phases 1 and 2 of a Caso have run: what they found can be told.
const phasesSearched = `basicos_en IS NOT NULL AND (historica_desde IS NULL OR historica_en IS NOT NULL)`

// lockedEntregas looks each Caso up in casos_pkey (see openCoincidencias), and locks its row in the
// order given.
const lockedEntregas = `
SELECT c.* FROM unnest($2::uuid[]) AS n (id), LATERAL (
	SELECT id, estado, reporte_id, ciclo, finalizacion, coalesce(fin_apartado_hasta <= now(), false), ` + phasesSearched + `
	FROM casos WHERE empresa_id = $1 AND id BETWEEN n.id AND n.id ORDER BY id LIMIT 1 FOR UPDATE
) c`

// lockEntregas reads the Casos and locks their rows, in the order of their ids as all do.
func lockEntregas(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, asked []entrega) (map[registros.CasoID]*entrega, error) {
	byCaso := make(map[registros.CasoID]*entrega, len(asked))
	casos := make([]registros.CasoID, len(asked))
	for n := range asked {
		casos[n] = asked[n].caso
		byCaso[asked[n].caso] = &asked[n]
	}
	if len(byCaso) < len(asked) {
		return nil, errors.New("two deliveries of one caso: they take turns")
	}
	slices.SortFunc(casos, compareIDs)
	rows, err := tx.Query(ctx, lockedEntregas, string(empresa), casos)
	if err != nil {
		return nil, fmt.Errorf("lock casos: %w", err)
	}
	var caso registros.CasoID
	var read registros.Avance
	tag, err := pgx.ForEachRow(rows, []any{&caso, &read.Estado, &read.Reporte.ID, &read.Reporte.Ciclo, &read.Finalizacion, &read.FinDebido, &read.Buscado}, func() error {
		e := byCaso[caso]
		e.avance, e.avance.Tras = read, e.tras()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lock casos: %w", err)
	}
	if int(tag.RowsAffected()) < len(asked) {
		return nil, errors.New("there is no such caso")
	}
	return byCaso, nil
}

// tras is behind which place the next step is looked for.
func (e *entrega) tras() registros.Lugar {
	if e.respuesta.Seguir {
		return e.taken.Lugar()
	}
	return e.taken.Tras
}

// firstPendientes looks for the first pending Coincidencia of each Caso, behind a place, in
// coincidencias_pendientes_idx.
const firstPendientes = `
SELECT c.* FROM unnest($2::uuid[], $3::smallint[], $4::uuid[]) AS n (caso_id, fase, id), LATERAL (
	SELECT n.caso_id, id, fase, folio, curp, tipo_evento, fecha_evento, datos, detectada_en
	FROM coincidencias
	WHERE empresa_id = $1 AND caso_id = n.caso_id AND estado = 'pendiente' AND (fase, id) > (n.fase, n.id)
		AND (apartada_hasta IS NULL OR apartada_hasta <= now())
	ORDER BY fase, id LIMIT 1
) c`

func readFirstPendientes(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, byCaso map[registros.CasoID]*entrega) error {
	casos, fases, ids := make([]registros.CasoID, 0, len(byCaso)), make([]int16, 0, len(byCaso)), make([]uuid.UUID, 0, len(byCaso))
	for caso, e := range byCaso {
		tras := e.avance.Tras
		casos, fases, ids = append(casos, caso), append(fases, int16(tras.Fase)), append(ids, tras.ID)
	}
	rows, err := tx.Query(ctx, firstPendientes, string(empresa), casos, fases, ids)
	if err != nil {
		return fmt.Errorf("read pending coincidencias: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanPendiente)
	if err != nil {
		return fmt.Errorf("read pending coincidencias: %w", err)
	}
	for _, c := range found {
		e := byCaso[c.CasoID]
		c.ReporteID, c.Ciclo = e.avance.Reporte.ID, e.avance.Reporte.Ciclo
		e.avance.Pendiente = &c
	}
	return nil
}

func scanPendiente(row pgx.CollectableRow) (registros.Coincidencia, error) {
	c := registros.Coincidencia{Estado: registros.CoincidenciaPendiente}
	var tipo *string
	var fecha *time.Time
	var d datos
	err := row.Scan(&c.CasoID, &c.ID, &c.Fase, &c.Registro.Folio, &c.Registro.CURP, &tipo, &fecha, &d, &c.DetectadaEn)
	if err != nil {
		return c, err
	}
	c.Registro.TipoEvento = pg.Value(tipo)
	c.Registro.FechaEvento = pg.Fecha(fecha)
	d.fill(&c.Registro)
	return c, nil
}

// recordPasos writes down how the steps ended, and tells whether that changed anything.
func recordPasos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, asked []entrega) (changed bool, err error) {
	var told desenlaces
	var finished finales
	for n := range asked {
		e := &asked[n]
		switch {
		case e.taken.Coincidencia != nil:
			told.add(e)
		case e.taken.Finish != nil && e.respuesta.Resultado != envio.MasTarde:
			finished.add(e)
		}
	}
	err = finished.record(ctx, tx, empresa)
	if err != nil {
		return false, err
	}
	changed, err = told.record(ctx, tx, empresa)
	return changed || len(finished.casos) > 0, err
}

// desenlaces are what became of Coincidencias.
type desenlaces struct {
	casos             []registros.CasoID
	ids               []uuid.UUID
	estados, detalles []string
	segundos          []*float64
}

func (d *desenlaces) add(e *entrega) {
	estado := registros.CoincidenciaPendiente
	switch e.respuesta.Resultado {
	case envio.Aceptado:
		estado = registros.CoincidenciaNotificada
	case envio.Rechazado:
		estado = registros.CoincidenciaRechazada
	}
	d.casos, d.ids = append(d.casos, e.caso), append(d.ids, e.taken.Coincidencia.ID)
	d.estados, d.detalles = append(d.estados, string(estado)), append(d.detalles, detalleOf(e.respuesta))
	d.segundos = append(d.segundos, apartadoFor(e.respuesta))
}

// apartadoFor is for how many seconds a step is set aside; nil: it is not.
func apartadoFor(r envio.Respuesta) *float64 {
	if r.Resultado != envio.Apartado {
		return nil
	}
	return new(r.Esperar.Seconds())
}

// recordCoincidencias writes the outcomes. One that was cancelled while it was under way has
// nevertheless been told, and says so. One that was emptied meanwhile stays empty: what the
// platform says of a message may repeat the message. The time comes with the outcomes: a cluster
// takes no function that is not immutable in a CASE of an update. That an id is the n-th is always
// so: PostgreSQL then expects one row, and looks it up (architecture.md, section 4).
const recordCoincidencias = `
UPDATE coincidencias c SET estado = d.estado, detalle = CASE WHEN c.curp <> $6 THEN nullif(d.detalle, '') END,
	notificada_en = CASE WHEN d.estado = 'notificada' THEN d.ahora END, apartada_hasta = d.hasta
FROM (
	SELECT *, now() AS ahora, now() + segundos * interval '1 second' AS hasta
	FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $7::float8[]) WITH ORDINALITY AS n (caso_id, id, estado, detalle, segundos, n)
	WHERE id = ($3::uuid[])[n]
	OFFSET 0
) d
WHERE c.empresa_id = $1 AND c.caso_id = d.caso_id AND c.id = d.id
	AND (c.estado = 'pendiente' OR c.estado = 'cancelada' AND d.estado <> 'pendiente')
	AND (c.estado, c.detalle, c.apartada_hasta) IS DISTINCT FROM (d.estado, nullif(d.detalle, ''), d.hasta)`

func (d *desenlaces) record(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID) (changed bool, err error) {
	if len(d.ids) == 0 {
		return false, nil
	}
	tag, err := tx.Exec(ctx, recordCoincidencias, string(empresa), d.casos, d.ids, d.estados, d.detalles, manual.CURPDepurada, d.segundos)
	if err != nil {
		return false, fmt.Errorf("record coincidencias: %w", err)
	}
	return tag.RowsAffected() > 0, nil
}

// detalleOf is the reason to keep; what was accepted needs none.
func detalleOf(r envio.Respuesta) string {
	if r.Resultado == envio.Aceptado {
		return ""
	}
	return r.Detalle
}

// finales are Casos whose end of the search the platform took note of, refused for good, or does
// not take for now.
type finales struct {
	casos    []registros.CasoID
	outcomes []string
	segundos []*float64
}

func (f *finales) add(e *entrega) {
	e.avance.Finalizacion, e.avance.FinDebido = registros.FinalizacionRechazada, false
	if e.respuesta.Resultado == envio.Aceptado {
		e.avance.Finalizacion = registros.FinalizacionNotificada
	}
	f.casos = append(f.casos, e.caso)
	f.outcomes, f.segundos = append(f.outcomes, string(e.avance.Finalizacion)), append(f.segundos, apartadoFor(e.respuesta))
}

// recordFinales moves the Casos on to monitoring.
const recordFinales = `
UPDATE casos SET
	finalizacion = f.outcome,
	busqueda_finalizada_en = CASE WHEN f.outcome = 'notificada' THEN f.ahora END,
	estado = CASE WHEN estado = 'en_busqueda' THEN 'monitoreo' ELSE estado END,
	fin_apartado_hasta = f.hasta,
	actualizado_en = now()
FROM (
	SELECT *, now() AS ahora, now() + segundos * interval '1 second' AS hasta
	FROM unnest($2::uuid[], $3::text[], $4::float8[]) WITH ORDINALITY AS n (caso_id, outcome, segundos, n)
	WHERE caso_id = ($2::uuid[])[n]
	OFFSET 0
) f
WHERE empresa_id = $1 AND id = f.caso_id AND (finalizacion = 'pendiente' OR fin_apartado_hasta IS NOT NULL)`

func (f *finales) record(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID) error {
	if len(f.casos) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, recordFinales, string(empresa), f.casos, f.outcomes, f.segundos)
	if err != nil {
		return fmt.Errorf("record end of search: %w", err)
	}
	return nil
}
