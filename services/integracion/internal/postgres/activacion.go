package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/process/tracing"
)

// SaveActivacion implements [reportes.ReporteStore], together with what arrives at the same time.
func (s *Store) SaveActivacion(ctx context.Context, empresa tenant.EmpresaID, solicitud reportes.Solicitud) (reportes.Reporte, error) {
	huella := s.huellaOf(solicitud.Persona.CURP)
	asiento := asientoDeSolicitud(ctx, empresa, bitacora.AccionActivar, solicitud.ReporteID, huella)
	asiento.Datos = datosDescartados(solicitud)
	return s.activaciones.Ask(ctx, empresa, activacion{
		solicitud: solicitud, traceparent: tracing.Parent(ctx), huella: huella, asiento: asiento,
	})
}

// datosDescartados names the fields that were left out, if there are any.
func datosDescartados(s reportes.Solicitud) map[string]any {
	if len(s.Descartados) == 0 {
		return nil
	}
	return map[string]any{"descartados": s.Descartados}
}

// activacion is a Solicitud with its entry of the Bitácora.
type activacion struct {
	solicitud   reportes.Solicitud
	huella      []byte
	asiento     bitacora.Asiento
	traceparent string
}

// saveActivaciones stores ids that were never heard of in one statement, and what completes,
// replaces or follows a Reporte one by one. One that changes nothing asks to tell registros too:
// in a cluster a Reporte may have been stored by a call that failed, and its job not.
func (s *Store) saveActivaciones(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, asked []activacion) ([]reportes.Reporte, error) {
	created, err := insertUnknown(ctx, tx, empresa, asked)
	if err != nil {
		return nil, err
	}
	saved, syncs := make([]reportes.Reporte, len(asked)), make([]Sync, len(asked))
	asientos, avisos := make([]bitacora.Asiento, len(asked)), make([]reportes.Aviso, len(asked))
	for n, a := range asked {
		if created[n] != nil {
			saved[n] = *created[n]
		} else {
			saved[n], err = s.activate(ctx, tx, empresa, a.solicitud, a.huella)
		}
		if err != nil {
			return nil, err
		}
		syncs[n] = Sync{ReporteKey{empresa, saved[n].Fila}, a.traceparent}
		asientos[n] = a.asiento
		avisos[n] = reportes.Aviso{ReporteID: a.solicitud.ReporteID, Tipo: reportes.AvisoActivacion, CURP: a.solicitud.Persona.CURP}
	}
	err = s.queue.SyncCasos(ctx, tx, syncs)
	if err != nil {
		return nil, err
	}
	var batch pgx.Batch
	queueAsientos(&batch, empresa, asientos)
	queueAvisos(&batch, empresa, avisos)
	err = tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return nil, fmt.Errorf("write down activations: %w", err)
	}
	return saved, nil
}

// activate completes the active Reporte or begins a new cycle. With another CURP an active id
// is about another person, whose search is a cycle of its own; nothing of the two is mixed,
// and nothing more is told of the first (pui.md 3.2, rule 17). Of two that race to begin
// one, the loser's insert meets reportes_activo_key and finds the winner's Reporte in the
// next round.
func (s *Store) activate(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, solicitud reportes.Solicitud, huella []byte) (reportes.Reporte, error) {
	for {
		r, err := findNewest(ctx, tx, empresa, solicitud.ReporteID)
		if err != nil {
			return r, err
		}
		active := r.Estado == reportes.ReporteActivo
		if active && r.Persona.CURP == solicitud.Persona.CURP {
			return completeReporte(ctx, tx, r, solicitud)
		}
		if active {
			err = s.deactivateActive(ctx, tx, empresa, solicitud.ReporteID)
			if err != nil {
				return r, err
			}
		}
		r, created, err := insertReporte(ctx, tx, empresa, solicitud, huella, r.Ciclo+1)
		if err != nil || created {
			return r, err
		}
	}
}

const newestCycle = `
SELECT ` + reporteColumns + ` FROM reportes WHERE empresa_id = $1 AND reporte_id = $2 ORDER BY ciclo DESC LIMIT 1 FOR UPDATE`

// findNewest gives the newest cycle of a Reporte with its row locked; only that one may be
// active. The zero Reporte: there is none.
func findNewest(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, reporteID string) (reportes.Reporte, error) {
	r, err := scanReporte(tx.QueryRow(ctx, newestCycle, string(empresa), reporteID))
	if errors.Is(err, pgx.ErrNoRows) {
		return reportes.Reporte{}, nil
	}
	if err != nil {
		return reportes.Reporte{}, fmt.Errorf("find newest cycle: %w", err)
	}
	return r, nil
}

// insertUnknown stores the first cycles of Reportes, and gives each in its place.
func insertUnknown(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, asked []activacion) ([]*reportes.Reporte, error) {
	var nuevos reportesNuevos
	for _, a := range asked {
		nuevos.add(a.solicitud, a.huella)
	}
	return nuevos.insert(ctx, tx, empresa, 1)
}

func insertReporte(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, s reportes.Solicitud, huella []byte, ciclo int) (reportes.Reporte, bool, error) {
	var nuevos reportesNuevos
	nuevos.add(s, huella)
	created, err := nuevos.insert(ctx, tx, empresa, ciclo)
	if err != nil || created[0] == nil {
		return reportes.Reporte{}, false, err
	}
	return *created[0], true, nil
}

// reportesNuevos are the columns of Reportes that begin a cycle.
type reportesNuevos struct {
	filas                     []uuid.UUID
	ids, curps                []string
	desapariciones, registros []*time.Time
	personas                  []manual.Persona
	huellas                   [][]byte
}

func (r *reportesNuevos) add(s reportes.Solicitud, huella []byte) {
	r.filas, r.ids, r.curps = append(r.filas, pg.NewID()), append(r.ids, s.ReporteID), append(r.curps, s.Persona.CURP)
	r.desapariciones, r.registros = append(r.desapariciones, pg.Date(s.FechaDesaparicion)), append(r.registros, pg.Date(s.FechaRegistro))
	r.personas, r.huellas = append(r.personas, s.Persona), append(r.huellas, huella)
}

const newReportes = `
INSERT INTO reportes (empresa_id, ciclo, id, reporte_id, curp, fecha_desaparicion, persona, curp_huella, fecha_registro)
VALUES ($1, $2, unnest($3::uuid[]), unnest($4::text[]), unnest($5::text[]), unnest($6::date[]), unnest($7::jsonb[]), unnest($8::bytea[]), unnest($9::date[]))
ON CONFLICT DO NOTHING RETURNING ` + reporteColumns

// insert gives each in its place, nil for one whose id has such a cycle or an active one.
func (r *reportesNuevos) insert(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, ciclo int) ([]*reportes.Reporte, error) {
	rows, err := tx.Query(ctx, newReportes, string(empresa), ciclo, r.filas, r.ids, r.curps, r.desapariciones, r.personas, r.huellas, r.registros)
	if err != nil {
		return nil, fmt.Errorf("insert reportes: %w", err)
	}
	created, err := collectReportes(rows)
	if err != nil {
		return nil, fmt.Errorf("insert reportes: %w", err)
	}
	placed := make([]*reportes.Reporte, len(r.filas))
	for n, fila := range r.filas {
		placed[n] = created[fila]
	}
	return placed, nil
}

const completedReporte = `
UPDATE reportes SET fecha_desaparicion = $3, persona = $4, version = version + 1
WHERE empresa_id = $1 AND id = $2 RETURNING ` + reporteColumns

func completeReporte(ctx context.Context, tx pgx.Tx, r reportes.Reporte, s reportes.Solicitud) (reportes.Reporte, error) {
	if !r.Complete(s) {
		return r, nil
	}
	return updateCompleted(ctx, tx, r)
}

func updateCompleted(ctx context.Context, tx pgx.Tx, r reportes.Reporte) (reportes.Reporte, error) {
	r, err := scanReporte(tx.QueryRow(ctx, completedReporte, string(r.EmpresaID), r.Fila, pg.Date(r.FechaDesaparicion), r.Persona))
	if err != nil {
		return r, fmt.Errorf("complete reporte: %w", err)
	}
	return r, nil
}
