package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// Pasos are the steps of a Caso's delivery. When nothing is left to tell, Complete ends the
// delivery in the transaction that finds so. That one holds the Caso's row: whoever adds a
// Coincidencia locks it first, so what was added either is seen here, or finds the delivery
// ended and enqueues another one. Nil: nothing is to be ended.
type Pasos struct {
	Store    *Store
	Complete func(ctx context.Context, tx pgx.Tx) error
}

// NextPaso implements [registros.PasoStore]. Only what may be the end takes the lock, which
// would make every look a durable write.
func (p Pasos) NextPaso(ctx context.Context, empresa tenant.EmpresaID, caso registros.CasoID) (registros.Paso, error) {
	var next registros.Paso
	err := p.Store.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		e, err := readEntrega(ctx, tx, empresa, caso, "")
		if err != nil {
			return err
		}
		next, err = e.next(ctx, tx)
		if err != nil || next != (registros.Paso{}) {
			return err
		}
		e, err = readEntrega(ctx, tx, empresa, caso, "FOR UPDATE")
		if err != nil {
			return err
		}
		next, err = p.nextOrComplete(ctx, tx, e)
		return err
	})
	return next, err
}

// RecordPaso implements [registros.PasoStore].
func (p Pasos) RecordPaso(ctx context.Context, empresa tenant.EmpresaID, caso registros.CasoID, paso registros.Paso, r envio.Respuesta) (registros.Paso, error) {
	var next registros.Paso
	err := p.Store.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		// The Caso's row before the Coincidencia's, as whoever closes the Caso.
		e, err := readEntrega(ctx, tx, empresa, caso, "FOR UPDATE")
		if err != nil {
			return err
		}
		changed, err := e.record(ctx, tx, paso, r)
		if err != nil {
			return err
		}
		next, err = p.nextOrComplete(ctx, tx, e)
		if err != nil || !changed {
			return err
		}
		return bumpRevision(ctx, tx, empresa)
	})
	return next, err
}

// nextOrComplete runs with the Caso's row locked.
func (p Pasos) nextOrComplete(ctx context.Context, tx pgx.Tx, e entrega) (registros.Paso, error) {
	next, err := e.next(ctx, tx)
	if err != nil || next != (registros.Paso{}) || p.Complete == nil {
		return next, err
	}
	return next, p.Complete(ctx, tx)
}

// entrega is what of a Caso its delivery needs to know.
type entrega struct {
	empresa  tenant.EmpresaID
	caso     registros.CasoID
	reporte  registros.Reporte // its id and ciclo
	estado   registros.EstadoCaso
	finished bool
	searched bool
}

// phasesSearched holds when phases 1 and 2 of a Caso have run: what they found can be told.
const phasesSearched = `basicos_en IS NOT NULL AND (historica_desde IS NULL OR historica_en IS NOT NULL)`

// readEntrega reads a Caso; lock is a row lock or nothing.
func readEntrega(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, caso registros.CasoID, lock string) (entrega, error) {
	e := entrega{empresa: empresa, caso: caso}
	err := tx.QueryRow(ctx, `
		SELECT estado, reporte_id, ciclo, finalizacion <> 'pendiente', `+phasesSearched+`
		FROM casos WHERE empresa_id = $1 AND id = $2 `+lock, string(empresa), caso).
		Scan(&e.estado, &e.reporte.ID, &e.reporte.Ciclo, &e.finished, &e.searched)
	if errors.Is(err, pgx.ErrNoRows) {
		return entrega{}, errors.New("there is no such caso")
	}
	if err != nil {
		return entrega{}, fmt.Errorf("read caso: %w", err)
	}
	return e, nil
}

// next reads the next step.
func (e entrega) next(ctx context.Context, tx pgx.Tx) (registros.Paso, error) {
	if e.estado == registros.CasoCerrado || !e.searched {
		return registros.Paso{}, nil
	}
	next, err := nextPendiente(ctx, tx, e.empresa, e.caso)
	if err != nil {
		return registros.Paso{}, err
	}
	if !e.finished && (next == nil || next.Fase == manual.FaseContinua) {
		return registros.Paso{Finish: &e.reporte}, nil
	}
	if next != nil {
		next.ReporteID, next.Ciclo = e.reporte.ID, e.reporte.Ciclo
	}
	return registros.Paso{Coincidencia: next}, nil
}

// nextPendiente reads the first pending Coincidencia through coincidencias_pendientes_idx.
func nextPendiente(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, caso registros.CasoID) (*registros.Coincidencia, error) {
	c := registros.Coincidencia{CasoID: caso, Estado: registros.CoincidenciaPendiente}
	var tipo *string
	var fecha *time.Time
	var d datos
	err := tx.QueryRow(ctx, `
		SELECT id, fase, folio, curp, tipo_evento, fecha_evento, datos, detectada_en
		FROM coincidencias
		WHERE empresa_id = $1 AND caso_id = $2 AND estado = 'pendiente'
		ORDER BY fase, id LIMIT 1`, string(empresa), caso).
		Scan(&c.ID, &c.Fase, &c.Registro.Folio, &c.Registro.CURP, &tipo, &fecha, &d, &c.DetectadaEn)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // nothing pending is an answer of its own
	}
	if err != nil {
		return nil, fmt.Errorf("read pending coincidencia: %w", err)
	}
	c.Registro.TipoEvento = pg.Value(tipo)
	c.Registro.FechaEvento = pg.Fecha(fecha)
	d.fill(&c.Registro)
	return &c, nil
}

// record writes down how a step ended, and tells whether that changed anything.
func (e *entrega) record(ctx context.Context, tx pgx.Tx, paso registros.Paso, r envio.Respuesta) (bool, error) {
	if paso.Finish == nil {
		return recordCoincidencia(ctx, tx, e.empresa, e.caso, paso.Coincidencia.ID, r)
	}
	if r.Resultado == envio.MasTarde {
		return false, nil
	}
	e.finished = true
	return true, recordFinish(ctx, tx, e.empresa, e.caso, r)
}

// recordCoincidencia writes the outcome. One that was cancelled while it was under way has
// nevertheless been told, and says so. One that was emptied meanwhile stays empty: what the
// platform says of a message may repeat the message.
func recordCoincidencia(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, caso registros.CasoID, id registros.CoincidenciaID, r envio.Respuesta) (bool, error) {
	estado := registros.CoincidenciaPendiente
	switch r.Resultado {
	case envio.Aceptado:
		estado = registros.CoincidenciaNotificada
	case envio.Rechazado:
		estado = registros.CoincidenciaRechazada
	}
	tag, err := tx.Exec(ctx, `
		UPDATE coincidencias SET estado = $4, detalle = CASE WHEN curp <> $6 THEN nullif($5, '') END,
			notificada_en = CASE WHEN $4 = 'notificada' THEN now() END
		WHERE empresa_id = $1 AND caso_id = $2 AND id = $3
			AND (estado = 'pendiente' OR estado = 'cancelada' AND $4 <> 'pendiente')
			AND (estado, detalle) IS DISTINCT FROM ($4, nullif($5, ''))`,
		string(empresa), caso, id, string(estado), detalleOf(r), manual.CURPDepurada)
	if err != nil {
		return false, fmt.Errorf("record coincidencia: %w", err)
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

// recordFinish moves the Caso on to monitoring, whether the platform took note of the end
// of the search or refused it for good.
func recordFinish(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, caso registros.CasoID, r envio.Respuesta) error {
	_, err := tx.Exec(ctx, `
		UPDATE casos SET
			finalizacion = CASE WHEN $3 THEN 'notificada' ELSE 'rechazada' END,
			busqueda_finalizada_en = CASE WHEN $3 THEN now() END,
			estado = CASE WHEN estado = 'en_busqueda' THEN 'monitoreo' ELSE estado END,
			actualizado_en = now()
		WHERE empresa_id = $1 AND id = $2 AND finalizacion = 'pendiente'`,
		string(empresa), caso, r.Resultado == envio.Aceptado)
	if err != nil {
		return fmt.Errorf("record end of search: %w", err)
	}
	return nil
}
