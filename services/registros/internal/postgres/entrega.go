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

// NextPaso implements [registros.PasoStore].
func (s *Store) NextPaso(ctx context.Context, empresa tenant.EmpresaID, caso registros.CasoID) (registros.Paso, error) {
	var paso registros.Paso
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		var err error
		paso, err = nextPaso(ctx, tx, empresa, caso, "")
		return err
	})
	return paso, err
}

// CompleteIfIdle runs complete in a transaction that holds the Caso's row, if nothing is
// left to tell. Whoever adds a Coincidencia locks that row first, so it either is seen
// here, or finds the delivery completed and enqueues another one.
func (s *Store) CompleteIfIdle(ctx context.Context, empresa tenant.EmpresaID, caso registros.CasoID, complete func(tx pgx.Tx) error) (bool, error) {
	idle := false
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		paso, err := nextPaso(ctx, tx, empresa, caso, "FOR UPDATE")
		if err != nil {
			return err
		}
		idle = paso == (registros.Paso{})
		if !idle {
			return nil
		}
		return complete(tx)
	})
	if err != nil {
		return false, fmt.Errorf("complete delivery: %w", err)
	}
	return idle, nil
}

// phasesSearched holds when phases 1 and 2 of a Caso have run: what they found can be told.
const phasesSearched = `basicos_en IS NOT NULL AND (historica_desde IS NULL OR historica_en IS NOT NULL)`

// nextPaso reads the next step; lock is a row lock on the Caso or nothing.
func nextPaso(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, caso registros.CasoID, lock string) (registros.Paso, error) {
	var estado registros.EstadoCaso
	var searched, finished bool
	reporte := registros.Reporte{}
	err := tx.QueryRow(ctx, `
		SELECT estado, reporte_id, ciclo, finalizacion <> 'pendiente',
			`+phasesSearched+`
		FROM casos WHERE empresa_id = $1 AND id = $2 `+lock, string(empresa), caso).
		Scan(&estado, &reporte.ID, &reporte.Ciclo, &finished, &searched)
	if errors.Is(err, pgx.ErrNoRows) {
		return registros.Paso{}, errors.New("there is no such caso")
	}
	if err != nil {
		return registros.Paso{}, fmt.Errorf("read caso: %w", err)
	}
	if estado == registros.CasoCerrado || !searched {
		return registros.Paso{}, nil
	}
	next, err := nextPendiente(ctx, tx, empresa, caso)
	if err != nil {
		return registros.Paso{}, err
	}
	if !finished && (next == nil || next.Fase == manual.FaseContinua) {
		return registros.Paso{Finish: &reporte}, nil
	}
	if next != nil {
		next.ReporteID, next.Ciclo = reporte.ID, reporte.Ciclo
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

// RecordPaso implements [registros.PasoStore].
func (s *Store) RecordPaso(ctx context.Context, empresa tenant.EmpresaID, caso registros.CasoID, paso registros.Paso, r envio.Respuesta) error {
	return s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		if paso.Finish != nil {
			return recordFinish(ctx, tx, empresa, caso, r)
		}
		return recordCoincidencia(ctx, tx, empresa, caso, paso.Coincidencia.ID, r)
	})
}

// recordCoincidencia writes the outcome. One that was cancelled while it was under way has
// nevertheless been told, and says so.
func recordCoincidencia(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, caso registros.CasoID, id registros.CoincidenciaID, r envio.Respuesta) error {
	estado := registros.CoincidenciaPendiente
	switch r.Resultado {
	case envio.Aceptado:
		estado = registros.CoincidenciaNotificada
	case envio.Rechazado:
		estado = registros.CoincidenciaRechazada
	}
	tag, err := tx.Exec(ctx, `
		UPDATE coincidencias SET estado = $4, detalle = nullif($5, ''),
			notificada_en = CASE WHEN $4 = 'notificada' THEN now() END
		WHERE empresa_id = $1 AND caso_id = $2 AND id = $3
			AND (estado = 'pendiente' OR estado = 'cancelada' AND $4 <> 'pendiente')
			AND (estado, detalle) IS DISTINCT FROM ($4, nullif($5, ''))`,
		string(empresa), caso, id, string(estado), detalleOf(r))
	if err != nil {
		return fmt.Errorf("record coincidencia: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return nil
	}
	return bumpRevision(ctx, tx, empresa)
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
	if r.Resultado == envio.MasTarde {
		return nil
	}
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
	return bumpRevision(ctx, tx, empresa)
}
