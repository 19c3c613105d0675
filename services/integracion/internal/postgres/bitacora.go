package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/huella"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// huellaOf is the keyed hash of a CURP, nil of none.
func (s *Store) huellaOf(curp string) []byte {
	return huella.CURP(s.huellas, curp)
}

// insertAsiento adds an entry in the transaction of what it tells of. It has the actor and
// the request of ctx.
func insertAsiento(ctx context.Context, tx pgx.Tx, a bitacora.Asiento) error {
	a.Sign(bitacora.ActuacionFrom(ctx))
	return insertAsientos(ctx, tx, a.EmpresaID, []bitacora.Asiento{a})
}

// insertAsientos adds entries of an institution that are signed.
func insertAsientos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, asientos []bitacora.Asiento) error {
	var batch pgx.Batch
	queueAsientos(&batch, empresa, asientos)
	err := tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return fmt.Errorf("write bitacora: %w", err)
	}
	return nil
}

const (
	newAsientos = `
INSERT INTO bitacora (empresa_id, encolado, id, tipo, accion, actor, request_id, reporte_id, recurso,
	status, motivo, duracion_ms, curp_huella, datos)
VALUES ($1, true, unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[]), unnest($6::text[]), unnest($7::text[]),
	unnest($8::text[]), unnest($9::int[]), unnest($10::text[]), unnest($11::int[]), unnest($12::bytea[]), unnest($13::jsonb[]))`

	// newPorSellar says of the same entries that they are to be sealed.
	newPorSellar = `INSERT INTO bitacora_por_sellar (empresa_id, id) VALUES ($1, unnest($2::uuid[]))`
)

// queueAsientos puts entries of an institution that are signed into a batch.
func queueAsientos(batch *pgx.Batch, empresa tenant.EmpresaID, asientos []bitacora.Asiento) {
	var tipos, acciones, actores []string
	var solicitudes, reportes, recursos, motivos []*string
	var ids []uuid.UUID
	var statuses, duraciones []*int
	var huellas [][]byte
	var datos []map[string]any
	for _, a := range asientos {
		if a.ID == uuid.Nil {
			a.ID = pg.NewID()
		}
		ids, tipos = append(ids, a.ID), append(tipos, string(a.Tipo))
		acciones, actores, solicitudes = append(acciones, a.Accion), append(actores, a.Actor), append(solicitudes, null(a.RequestID))
		reportes, recursos, motivos = append(reportes, null(a.ReporteID)), append(recursos, null(a.Recurso)), append(motivos, null(a.Motivo))
		statuses, duraciones = append(statuses, null(a.Status)), append(duraciones, null(int(a.Duracion.Milliseconds())))
		huellas = append(huellas, a.HuellaCURP)
		if a.Datos == nil {
			a.Datos = map[string]any{}
		}
		datos = append(datos, a.Datos)
	}
	batch.Queue(newAsientos, string(empresa), ids, tipos, acciones, actores, solicitudes, reportes, recursos,
		statuses, motivos, duraciones, huellas, datos)
	batch.Queue(newPorSellar, string(empresa), ids)
}

// insertCambio adds the entry of an operator's change.
func insertCambio(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, accion, recurso string) error {
	return insertAsiento(ctx, tx, bitacora.Asiento{
		EmpresaID: empresa, Tipo: bitacora.AsientoCambio, Accion: accion, Recurso: recurso,
	})
}

// insertSolicitud adds the entry of a request of the platform that is about to be accepted.
func insertSolicitud(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, accion, reporteID string, huella []byte) error {
	return insertAsientos(ctx, tx, empresa, []bitacora.Asiento{asientoDeSolicitud(ctx, empresa, accion, reporteID, huella)})
}

// asientoDeSolicitud is that entry, signed.
func asientoDeSolicitud(ctx context.Context, empresa tenant.EmpresaID, accion, reporteID string, huella []byte) bitacora.Asiento {
	actuacion := bitacora.ActuacionFrom(ctx)
	a := bitacora.Asiento{
		EmpresaID: empresa, Tipo: bitacora.AsientoSolicitud, Accion: accion,
		ReporteID: reporteID, Status: actuacion.Exito, HuellaCURP: huella,
	}
	a.Sign(actuacion)
	return a
}

// asientoDeEnvio is the entry of an attempt that ended; what the platform answered beyond its
// status stays out, since it may repeat what it was sent.
func asientoDeEnvio(ctx context.Context, e entregas.Envio, intento entregas.Intento, fin entregas.Fin) bitacora.Asiento {
	a := bitacora.Asiento{
		EmpresaID: e.EmpresaID, Tipo: bitacora.AsientoEnvio, Accion: bitacora.AccionFinalizar, Actor: bitacora.ActorSistema,
		ReporteID: e.ReporteID, Status: fin.Status, Motivo: fin.Motivo,
		Datos: map[string]any{"ciclo": e.Ciclo, "intento": intento.Numero},
	}
	if e.Tipo == entregas.EnvioCoincidencia {
		a.Accion = bitacora.AccionNotificar
		a.Recurso, a.Datos["fase"] = e.Clave, e.Fase.String()
	}
	a.Sign(bitacora.ActuacionFrom(ctx))
	return a
}

// RecordAsiento implements [bitacora.Store].
func (s *Store) RecordAsiento(ctx context.Context, a bitacora.Asiento) error {
	return s.db.InEmpresa(ctx, a.EmpresaID, func(tx pgx.Tx) error {
		return insertAsiento(ctx, tx, a)
	})
}

// asientoChunk is how many entries are read at a time.
const asientoChunk = 500

// EachAsiento implements [bitacora.Store]. No connection is held while yield
// runs.
func (s *Store) EachAsiento(ctx context.Context, empresa tenant.EmpresaID, f bitacora.FiltroAsientos, yield func([]bitacora.Asiento) error) error {
	after, last := f.Periodo.Desde, uuid.Nil
	for {
		var chunk []bitacora.Asiento
		err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
			var err error
			chunk, err = queryAsientos(ctx, tx, `
				SELECT `+asientoColumns+` FROM bitacora
				WHERE empresa_id = $1 AND (ocurrido_en, id) > ($2, $3)
					AND ($4::timestamptz IS NULL OR ocurrido_en < $4) AND ($5 = '' OR reporte_id = $5)
				ORDER BY ocurrido_en, id LIMIT $6`,
				string(empresa), after, last, pg.NullTime(f.Periodo.Hasta), f.ReporteID, asientoChunk)
			return err
		})
		if err != nil {
			return fmt.Errorf("read bitacora: %w", err)
		}
		if len(chunk) == 0 {
			return nil
		}
		err = yield(chunk)
		if err != nil {
			return err
		}
		after, last = chunk[len(chunk)-1].OcurridoEn, chunk[len(chunk)-1].ID
	}
}

// asientoColumns are what queryAsientos reads.
const asientoColumns = `id, empresa_id, ocurrido_en, tipo, accion, actor, request_id, reporte_id, recurso,
	status, motivo, duracion_ms, curp_huella, datos`

func queryAsientos(ctx context.Context, tx pgx.Tx, query string, args ...any) ([]bitacora.Asiento, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanAsiento)
}

func scanAsiento(row pgx.CollectableRow) (bitacora.Asiento, error) {
	var a bitacora.Asiento
	var request, reporte, recurso, motivo *string
	var status, milliseconds *int
	err := row.Scan(&a.ID, &a.EmpresaID, &a.OcurridoEn, &a.Tipo, &a.Accion, &a.Actor, &request, &reporte, &recurso,
		&status, &motivo, &milliseconds, &a.HuellaCURP, &a.Datos)
	a.RequestID, a.ReporteID, a.Recurso, a.Motivo = pg.Value(request), pg.Value(reporte), pg.Value(recurso), pg.Value(motivo)
	if status != nil {
		a.Status = *status
	}
	if milliseconds != nil {
		a.Duracion = time.Duration(*milliseconds) * time.Millisecond
	}
	return a, err
}
