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
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// reporteColumns are the columns that scanReporte reads.
const reporteColumns = `empresa_id, id, reporte_id, ciclo, estado, version, curp, fecha_desaparicion, persona,
	activado_en, desactivado_en`

func scanReporte(row pgx.Row) (reportes.Reporte, error) {
	var r reportes.Reporte
	var curp string
	var desaparicion, desactivado *time.Time
	err := row.Scan(&r.EmpresaID, &r.Fila, &r.ReporteID, &r.Ciclo, &r.Estado, &r.Version, &curp, &desaparicion, &r.Persona,
		&r.ActivadoEn, &desactivado)
	r.Persona.CURP = curp
	r.FechaDesaparicion = pg.Fecha(desaparicion)
	r.DesactivadoEn = pg.Value(desactivado)
	return r, err
}

// GetReporte implements [reportes.ReporteFinder].
func (s *Store) GetReporte(ctx context.Context, empresa tenant.EmpresaID, fila uuid.UUID) (reportes.Reporte, error) {
	var r reportes.Reporte
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		var err error
		r, err = scanReporte(tx.QueryRow(ctx, `
			SELECT `+reporteColumns+` FROM reportes WHERE empresa_id = $1 AND id = $2`, string(empresa), fila))
		return err
	})
	return r, notFound(err, "read reporte", "No existe ese reporte.")
}

// SaveActivacion implements [reportes.ReporteStore].
func (s *Store) SaveActivacion(ctx context.Context, empresa tenant.EmpresaID, solicitud reportes.Solicitud) (reportes.Reporte, error) {
	var r reportes.Reporte
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		var changed bool
		var err error
		huella := s.huellaOf(solicitud.Persona.CURP)
		r, changed, err = s.activate(ctx, tx, empresa, solicitud, huella)
		if err != nil {
			return err
		}
		if changed {
			err = s.queue.SyncCaso(ctx, tx, empresa, r.Fila)
			if err != nil {
				return err
			}
		}
		err = insertSolicitud(ctx, tx, empresa, bitacora.AccionActivar, r.ReporteID, huella)
		if err != nil {
			return err
		}
		return insertAviso(ctx, tx, empresa, reportes.Aviso{
			ReporteID: r.ReporteID, Tipo: reportes.AvisoActivacion, CURP: solicitud.Persona.CURP,
		})
	})
	return r, err
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

func insertReporte(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, s reportes.Solicitud, huella []byte) (reportes.Reporte, bool, error) {
	r, err := scanReporte(tx.QueryRow(ctx, `
		INSERT INTO reportes (empresa_id, id, reporte_id, ciclo, curp, fecha_desaparicion, persona, curp_huella)
		SELECT $1, $2, $3, coalesce(max(ciclo), 0) + 1, $4, $5, $6, $7
		FROM reportes WHERE empresa_id = $1 AND reporte_id = $3
		ON CONFLICT DO NOTHING RETURNING `+reporteColumns,
		string(empresa), pg.NewID(), s.ReporteID, s.Persona.CURP, pg.Date(s.FechaDesaparicion), s.Persona, huella))
	if errors.Is(err, pgx.ErrNoRows) {
		return reportes.Reporte{}, false, nil
	}
	if err != nil {
		return reportes.Reporte{}, false, fmt.Errorf("insert reporte: %w", err)
	}
	return r, true, nil
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

// SavePrueba implements [reportes.ReporteStore].
func (s *Store) SavePrueba(ctx context.Context, empresa tenant.EmpresaID, solicitud reportes.Solicitud) error {
	return s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		err := insertSolicitud(ctx, tx, empresa, bitacora.AccionActivarPrueba, solicitud.ReporteID, s.huellaOf(solicitud.Persona.CURP))
		if err != nil {
			return err
		}
		return insertAviso(ctx, tx, empresa, reportes.Aviso{
			ReporteID: solicitud.ReporteID, Tipo: reportes.AvisoActivacionPrueba, CURP: solicitud.Persona.CURP,
		})
	})
}

// SaveDesactivacion implements [reportes.ReporteStore]. The update waits for the
// attempts that are just beginning, which hold the row shared; see BeginIntento.
func (s *Store) SaveDesactivacion(ctx context.Context, empresa tenant.EmpresaID, reporteID string) ([]uuid.UUID, error) {
	var filas []uuid.UUID
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		err := lockReporteID(ctx, tx, empresa, reporteID)
		if err != nil {
			return err
		}
		err = s.deactivateActive(ctx, tx, empresa, reporteID)
		if err != nil {
			return err
		}
		var known reportado
		filas, known, err = findCycles(ctx, tx, empresa, reporteID)
		if err != nil {
			return err
		}
		err = insertSolicitud(ctx, tx, empresa, bitacora.AccionDesactivar, reporteID, known.huella)
		if err != nil {
			return err
		}
		return insertAviso(ctx, tx, empresa, reportes.Aviso{
			ReporteID: reporteID, Tipo: reportes.AvisoDesactivacion, CURP: known.curp,
		})
	})
	return filas, err
}

// deactivateActive ends the active cycle, if there is one, with what was still to be sent.
func (s *Store) deactivateActive(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, reporteID string) error {
	var fila uuid.UUID
	err := tx.QueryRow(ctx, `
		UPDATE reportes SET estado = 'desactivado', desactivado_en = clock_timestamp(), version = version + 1
		WHERE empresa_id = $1 AND reporte_id = $2 AND estado = 'activo' RETURNING id`, string(empresa), reporteID).
		Scan(&fila)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("deactivate reporte: %w", err)
	}
	_, err = tx.Exec(ctx, `
		UPDATE envios SET estado = 'cancelado', siguiente_en = NULL, decidido_en = clock_timestamp()
		WHERE empresa_id = $1 AND reporte_fila = $2 AND estado = 'pendiente'`, string(empresa), fila)
	if err != nil {
		return fmt.Errorf("cancel envios: %w", err)
	}
	return s.queue.SyncCaso(ctx, tx, empresa, fila)
}

// reportado is who a Reporte is about; zero if it is unknown.
type reportado struct {
	curp   string
	huella []byte
}

// findCycles gives all cycles of a Reporte and who the newest one is about.
func findCycles(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, reporteID string) ([]uuid.UUID, reportado, error) {
	var newest reportado
	rows, err := tx.Query(ctx, `
		SELECT id, curp, curp_huella FROM reportes WHERE empresa_id = $1 AND reporte_id = $2 ORDER BY ciclo`, string(empresa), reporteID)
	if err != nil {
		return nil, newest, fmt.Errorf("find cycles: %w", err)
	}
	filas, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (uuid.UUID, error) {
		var fila uuid.UUID
		err := row.Scan(&fila, &newest.curp, &newest.huella)
		return fila, err
	})
	if err != nil {
		return nil, newest, fmt.Errorf("find cycles: %w", err)
	}
	return filas, newest, nil
}

// AnySending implements [reportes.ReporteStore].
func (s *Store) AnySending(ctx context.Context, empresa tenant.EmpresaID, filas []uuid.UUID) (bool, error) {
	var sending bool
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM envios
				WHERE empresa_id = $1 AND reporte_fila = ANY ($2) AND ocupado_hasta > clock_timestamp())`,
			string(empresa), filas).Scan(&sending)
	})
	if err != nil {
		return false, fmt.Errorf("look for sends: %w", err)
	}
	return sending, nil
}

// IsActive implements [entregas.Store].
func (s *Store) IsActive(ctx context.Context, empresa tenant.EmpresaID, fila uuid.UUID) (bool, error) {
	var active bool
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM reportes WHERE empresa_id = $1 AND id = $2 AND estado = 'activo')`,
			string(empresa), fila).Scan(&active)
	})
	if err != nil {
		return false, fmt.Errorf("read state of reporte: %w", err)
	}
	return active, nil
}
