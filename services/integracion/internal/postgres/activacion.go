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
	return s.activaciones.Ask(ctx, empresa, activacion{
		solicitud: solicitud, traceparent: tracing.Parent(ctx), huella: huella,
		asiento: asientoDeSolicitud(ctx, empresa, bitacora.AccionActivar, solicitud.ReporteID, huella),
	})
}

// activacion is a Solicitud with its entry of the Bitácora.
type activacion struct {
	solicitud   reportes.Solicitud
	huella      []byte
	asiento     bitacora.Asiento
	traceparent string
}

// saveActivaciones stores what is new in one statement, and what completes or replaces an
// active Reporte one by one.
func (s *Store) saveActivaciones(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, asked []activacion) ([]reportes.Reporte, error) {
	created, err := insertUnknown(ctx, tx, empresa, asked)
	if err != nil {
		return nil, err
	}
	saved := make([]reportes.Reporte, len(asked))
	var syncs []Sync
	asientos, avisos := make([]bitacora.Asiento, len(asked)), make([]reportes.Aviso, len(asked))
	for n, a := range asked {
		changed := created[n] != nil
		if changed {
			saved[n] = *created[n]
		} else {
			saved[n], changed, err = s.activate(ctx, tx, empresa, a.solicitud, a.huella)
		}
		if err != nil {
			return nil, err
		}
		if changed {
			syncs = append(syncs, Sync{ReporteKey{empresa, saved[n].Fila}, a.traceparent})
		}
		asientos[n] = a.asiento
		avisos[n] = reportes.Aviso{ReporteID: a.solicitud.ReporteID, Tipo: reportes.AvisoActivacion, CURP: a.solicitud.Persona.CURP}
	}
	err = s.queue.SyncCasos(ctx, tx, syncs)
	if err != nil {
		return nil, err
	}
	err = insertAsientos(ctx, tx, asientos)
	if err != nil {
		return nil, err
	}
	return saved, insertAvisos(ctx, tx, empresa, avisos)
}

// activate completes the active Reporte or begins a new cycle. With another CURP an active id
// is about another person, whose search is a cycle of its own; nothing of the two is mixed,
// and nothing more is told of the first (pui.md 3.2, rule 17). Of two that race to begin
// one, the loser's insert meets reportes_activo_key and finds the winner's Reporte in the
// next round.
func (s *Store) activate(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, solicitud reportes.Solicitud, huella []byte) (reportes.Reporte, bool, error) {
	for {
		r, found, err := findActive(ctx, tx, empresa, solicitud.ReporteID)
		if err != nil {
			return r, false, err
		}
		if found && r.Persona.CURP == solicitud.Persona.CURP {
			return completeReporte(ctx, tx, r, solicitud)
		}
		if found {
			err = s.deactivateActive(ctx, tx, empresa, solicitud.ReporteID)
			if err != nil {
				return r, false, err
			}
		}
		r, created, err := insertReporte(ctx, tx, empresa, solicitud, huella)
		if err != nil || created {
			return r, created, err
		}
	}
}

// findActive gives the active cycle of a Reporte with its row locked.
func findActive(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, reporteID string) (reportes.Reporte, bool, error) {
	r, err := scanReporte(tx.QueryRow(ctx, `
		SELECT `+reporteColumns+` FROM reportes
		WHERE empresa_id = $1 AND reporte_id = $2 AND estado = 'activo' FOR UPDATE`, string(empresa), reporteID))
	if errors.Is(err, pgx.ErrNoRows) {
		return reportes.Reporte{}, false, nil
	}
	if err != nil {
		return reportes.Reporte{}, false, fmt.Errorf("find active reporte: %w", err)
	}
	return r, true, nil
}

// insertUnknown stores the Reportes that are not active, and gives each in its place.
func insertUnknown(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, asked []activacion) ([]*reportes.Reporte, error) {
	var nuevos reportesNuevos
	for _, a := range asked {
		nuevos.add(a.solicitud, a.huella)
	}
	return nuevos.insert(ctx, tx, empresa)
}

func insertReporte(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, s reportes.Solicitud, huella []byte) (reportes.Reporte, bool, error) {
	var nuevos reportesNuevos
	nuevos.add(s, huella)
	created, err := nuevos.insert(ctx, tx, empresa)
	if err != nil || created[0] == nil {
		return reportes.Reporte{}, false, err
	}
	return *created[0], true, nil
}

// reportesNuevos are the columns of Reportes that begin a cycle.
type reportesNuevos struct {
	filas          []uuid.UUID
	ids, curps     []string
	desapariciones []*time.Time
	personas       []manual.Persona
	huellas        [][]byte
}

func (r *reportesNuevos) add(s reportes.Solicitud, huella []byte) {
	r.filas, r.ids, r.curps = append(r.filas, pg.NewID()), append(r.ids, s.ReporteID), append(r.curps, s.Persona.CURP)
	r.desapariciones = append(r.desapariciones, pg.Date(s.FechaDesaparicion))
	r.personas, r.huellas = append(r.personas, s.Persona), append(r.huellas, huella)
}

const newReportes = `
INSERT INTO reportes (empresa_id, id, reporte_id, ciclo, curp, fecha_desaparicion, persona, curp_huella)
SELECT $1, n.id, n.reporte_id, u.ciclo + 1, n.curp, n.desaparicion, n.persona, n.huella
FROM unnest($2::uuid[], $3::text[], $4::text[], $5::date[], $6::jsonb[], $7::bytea[])
		AS n (id, reporte_id, curp, desaparicion, persona, huella),
	LATERAL (SELECT coalesce(max(ciclo), 0) AS ciclo FROM reportes WHERE empresa_id = $1 AND reporte_id = n.reporte_id) u
ON CONFLICT DO NOTHING RETURNING ` + reporteColumns

// insert gives each in its place, nil for one whose id has an active cycle.
func (r *reportesNuevos) insert(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID) ([]*reportes.Reporte, error) {
	rows, err := tx.Query(ctx, newReportes, string(empresa), r.filas, r.ids, r.curps, r.desapariciones, r.personas, r.huellas)
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

func completeReporte(ctx context.Context, tx pgx.Tx, r reportes.Reporte, s reportes.Solicitud) (reportes.Reporte, bool, error) {
	if !r.Complete(s) {
		return r, false, nil
	}
	r, err := scanReporte(tx.QueryRow(ctx, `
		UPDATE reportes SET fecha_desaparicion = $3, persona = $4, version = version + 1
		WHERE empresa_id = $1 AND id = $2 RETURNING `+reporteColumns,
		string(r.EmpresaID), r.Fila, pg.Date(r.FechaDesaparicion), r.Persona))
	if err != nil {
		return r, false, fmt.Errorf("complete reporte: %w", err)
	}
	return r, true, nil
}
