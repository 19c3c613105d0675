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
const reporteColumns = `empresa_id, id, reporte_id, ciclo, estado, version, curp, fecha_desaparicion, fecha_registro, persona,
	activado_en, desactivado_en`

func scanReporte(row pgx.Row) (reportes.Reporte, error) {
	var r reportes.Reporte
	var curp string
	var desaparicion, registro, desactivado *time.Time
	err := row.Scan(&r.EmpresaID, &r.Fila, &r.ReporteID, &r.Ciclo, &r.Estado, &r.Version, &curp, &desaparicion, &registro, &r.Persona,
		&r.ActivadoEn, &desactivado)
	r.Persona.CURP = curp
	r.FechaDesaparicion, r.FechaRegistro = pg.Fecha(desaparicion), pg.Fecha(registro)
	r.DesactivadoEn = pg.Value(desactivado)
	return r, err
}

// GetReporte implements [reportes.ReporteFinder], together with what is read at the same time.
func (s *Store) GetReporte(ctx context.Context, empresa tenant.EmpresaID, fila uuid.UUID) (reportes.Reporte, error) {
	r, err := s.lecturas.Ask(ctx, empresa, fila)
	if err == nil && r == nil {
		err = pgx.ErrNoRows
	}
	return pg.Value(r), notFound(err, "read reporte", reportes.ReporteMissing)
}

const reportesByFila = `
SELECT r.* FROM unnest($2::uuid[]) AS n (id), LATERAL (
	SELECT ` + reporteColumns + ` FROM reportes WHERE empresa_id = $1 AND id BETWEEN n.id AND n.id ORDER BY id LIMIT 1
) r`

// readReportes gives Reportes in the order asked, nil for one that there is not.
func readReportes(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, filas []uuid.UUID) ([]*reportes.Reporte, error) {
	rows, err := tx.Query(ctx, reportesByFila, string(empresa), filas)
	if err != nil {
		return nil, err
	}
	found, err := collectReportes(rows)
	if err != nil {
		return nil, err
	}
	read := make([]*reportes.Reporte, len(filas))
	for n, fila := range filas {
		read[n] = found[fila]
	}
	return read, nil
}

// collectReportes gives Reportes by their row.
func collectReportes(rows pgx.Rows) (map[uuid.UUID]*reportes.Reporte, error) {
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (reportes.Reporte, error) { return scanReporte(row) })
	found := make(map[uuid.UUID]*reportes.Reporte, len(all))
	for n := range all {
		found[all[n].Fila] = &all[n]
	}
	return found, err
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

const (
	endActive = `
UPDATE reportes SET estado = 'desactivado', desactivado_en = statement_timestamp(), version = version + 1
WHERE empresa_id = $1 AND reporte_id = $2 AND estado = 'activo' RETURNING id`

	cancelEnvios = `
UPDATE envios SET estado = 'cancelado', siguiente_en = NULL, decidido_en = statement_timestamp()
WHERE empresa_id = $1 AND reporte_fila = $2 AND estado = 'pendiente'`
)

// deactivateActive ends the active cycle, if there is one, with what was still to be sent.
func (s *Store) deactivateActive(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, reporteID string) error {
	var fila uuid.UUID
	err := tx.QueryRow(ctx, endActive, string(empresa), reporteID).Scan(&fila)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("deactivate reporte: %w", err)
	}
	_, err = tx.Exec(ctx, cancelEnvios, string(empresa), fila)
	if err != nil {
		return fmt.Errorf("cancel envios: %w", err)
	}
	return s.queue.SyncCasos(ctx, tx, []Sync{{ReporteKey: ReporteKey{empresa, fila}}})
}

// reportado is who a Reporte is about; zero if it is unknown.
type reportado struct {
	curp   string
	huella []byte
}

const cyclesOf = `SELECT id, curp, curp_huella FROM reportes WHERE empresa_id = $1 AND reporte_id = $2 ORDER BY ciclo`

// findCycles gives all cycles of a Reporte and who the newest one is about.
func findCycles(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, reporteID string) ([]uuid.UUID, reportado, error) {
	var newest reportado
	rows, err := tx.Query(ctx, cyclesOf, string(empresa), reporteID)
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

const anySending = `
SELECT EXISTS (SELECT FROM envios
	WHERE empresa_id = $1 AND reporte_fila = ANY ($2) AND ocupado_hasta > clock_timestamp())`

// AnySending implements [reportes.ReporteStore].
func (s *Store) AnySending(ctx context.Context, empresa tenant.EmpresaID, filas []uuid.UUID) (bool, error) {
	var sending bool
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, anySending, string(empresa), filas).Scan(&sending)
	})
	if err != nil {
		return false, fmt.Errorf("look for sends: %w", err)
	}
	return sending, nil
}

const isActive = `
SELECT coalesce((SELECT estado = 'activo' FROM reportes WHERE empresa_id = $1 AND id = $2), false)`

// IsActive implements [entregas.Store].
func (s *Store) IsActive(ctx context.Context, empresa tenant.EmpresaID, fila uuid.UUID) (bool, error) {
	var active bool
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, isActive, string(empresa), fila).Scan(&active)
	})
	if err != nil {
		return false, fmt.Errorf("read state of reporte: %w", err)
	}
	return active, nil
}
