package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// GetSalida implements [resincronizacion.Store].
func (s *Store) GetSalida(ctx context.Context, empresa tenant.EmpresaID) (resincronizacion.SalidaEmpresa, error) {
	var out resincronizacion.SalidaEmpresa
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		var found salida
		var batch pgx.Batch
		readSalida(&batch, empresa, &found)
		err := tx.SendBatch(ctx, &batch).Close()
		if err != nil {
			return err
		}
		out.Institucion, out.Clave = found.institucion, found.clave
		out.Apta = found.estado == cuentas.EmpresaActiva && found.institucion.URL != "" && !found.clave.IsZero()
		return tx.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&out.Ahora)
	})
	return out, err
}

// selectUltimos reads the newest cycle of each id, from reportes_ciclo_key.
const selectUltimos = `
SELECT r.id, r.reporte_id, r.ciclo, r.estado, coalesce(r.observacion, ''), coalesce(r.desactivado_en, r.activado_en),
	r.curp, r.fecha_desaparicion, r.persona
FROM unnest($2::text[]) listado CROSS JOIN LATERAL (
	SELECT * FROM reportes WHERE empresa_id = $1 AND reporte_id = listado ORDER BY ciclo DESC LIMIT 1
) r`

// FindUltimos implements [resincronizacion.Store].
func (s *Store) FindUltimos(ctx context.Context, empresa tenant.EmpresaID, ids []string) ([]resincronizacion.Ultimo, error) {
	return s.readUltimos(ctx, empresa, selectUltimos, ids)
}

// comparables bounds how many are read at once.
const comparables = 1000

// selectComparables reads reportes_comparables_idx from a cycle on.
const selectComparables = `
SELECT id, reporte_id, ciclo, estado, coalesce(observacion, ''), coalesce(desactivado_en, activado_en),
	'', NULL::date, '{}'::jsonb
FROM reportes
WHERE empresa_id = $1 AND (reporte_id, ciclo) > ($2, $3) AND (estado = 'activo' OR observacion IS NOT NULL)
ORDER BY reporte_id, ciclo LIMIT $4`

// ListComparables implements [resincronizacion.Store].
func (s *Store) ListComparables(ctx context.Context, empresa tenant.EmpresaID, behind resincronizacion.Ultimo) ([]resincronizacion.Ultimo, error) {
	return s.readUltimos(ctx, empresa, selectComparables, behind.ReporteID, behind.Ciclo, comparables)
}

func (s *Store) readUltimos(ctx context.Context, empresa tenant.EmpresaID, query string, args ...any) ([]resincronizacion.Ultimo, error) {
	var ultimos []resincronizacion.Ultimo
	err := s.db.InEmpresaByKeys(ctx, empresa, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, query, append([]any{string(empresa)}, args...)...)
		if err != nil {
			return err
		}
		ultimos, err = pgx.CollectRows(rows, scanUltimo)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read reportes to compare: %w", err)
	}
	return ultimos, nil
}

func scanUltimo(row pgx.CollectableRow) (resincronizacion.Ultimo, error) {
	var u resincronizacion.Ultimo
	var curp string
	var desaparicion *time.Time
	err := row.Scan(&u.Fila, &u.ReporteID, &u.Ciclo, &u.Estado, &u.Observacion, &u.CambioEn, &curp, &desaparicion, &u.Conocido.Persona)
	u.Conocido.Persona.CURP, u.Conocido.FechaDesaparicion = curp, pg.Fecha(desaparicion)
	return u, err
}

// CompleteListado implements [resincronizacion.Store].
func (s *Store) CompleteListado(ctx context.Context, empresa tenant.EmpresaID, solicitud reportes.Solicitud) (bool, error) {
	completed := false
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		completed = false
		r, err := findNewest(ctx, tx, empresa, solicitud.ReporteID)
		if err != nil {
			return err
		}
		same := r.Estado == reportes.ReporteActivo && r.Persona.CURP == solicitud.Persona.CURP
		if !same || !r.CompleteListado(solicitud) {
			return nil
		}
		completed = true
		r, err = updateCompleted(ctx, tx, r)
		if err != nil {
			return err
		}
		err = s.queue.SyncCasos(ctx, tx, []Sync{{ReporteKey: ReporteKey{empresa, r.Fila}}})
		if err != nil {
			return err
		}
		return insertAsiento(ctx, tx, bitacora.Asiento{
			EmpresaID: empresa, Tipo: bitacora.AsientoResincronizacion, Accion: bitacora.AccionCompletarPorListado,
			ReporteID: r.ReporteID, HuellaCURP: s.huellaOf(r.Persona.CURP), Datos: datosDescartados(solicitud),
		})
	})
	return completed, err
}

// ActivateListado implements [resincronizacion.Store].
func (s *Store) ActivateListado(ctx context.Context, empresa tenant.EmpresaID, solicitud reportes.Solicitud, limit time.Time) (resincronizacion.Alta, error) {
	var alta resincronizacion.Alta
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		alta = resincronizacion.AltaInnecesaria
		err := lockReporteID(ctx, tx, empresa, solicitud.ReporteID)
		if err != nil {
			return err
		}
		known, deactivated, err := heardOf(ctx, tx, empresa, solicitud.ReporteID, limit)
		if err != nil || known {
			return err
		}
		if deactivated {
			alta = resincronizacion.AltaDetenida
			return nil
		}
		created, err := s.insertListado(ctx, tx, empresa, solicitud)
		if created {
			alta = resincronizacion.AltaHecha
		}
		return err
	})
	return alta, err
}

// insertListado stores what the list tells of, and what follows from it; false means that
// the platform's own activation came in between.
func (s *Store) insertListado(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, solicitud reportes.Solicitud) (bool, error) {
	huella := s.huellaOf(solicitud.Persona.CURP)
	r, created, err := insertReporte(ctx, tx, empresa, solicitud, huella, 1)
	if err != nil || !created {
		return false, err
	}
	err = s.queue.SyncCasos(ctx, tx, []Sync{{ReporteKey: ReporteKey{empresa, r.Fila}}})
	if err != nil {
		return false, err
	}
	err = insertAsiento(ctx, tx, bitacora.Asiento{
		EmpresaID: empresa, Tipo: bitacora.AsientoResincronizacion, Accion: bitacora.AccionActivarPorListado,
		ReporteID: r.ReporteID, HuellaCURP: huella, Datos: datosDescartados(solicitud),
	})
	if err != nil {
		return false, err
	}
	return true, insertAviso(ctx, tx, empresa, reportes.Aviso{
		ReporteID: r.ReporteID, Tipo: reportes.AvisoActivacion, CURP: solicitud.Persona.CURP,
	})
}

// lockReporteID keeps a deactivation and the activation of the same id by the platform's
// list apart, also while there is no row to lock: whichever comes second sees the first.
func lockReporteID(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, reporteID string) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, string(empresa)+"/"+reporteID)
	if err != nil {
		return fmt.Errorf("lock id of reporte: %w", err)
	}
	return nil
}

// heardOf tells whether there is a Reporte with that id, and whether a deactivation of it
// came after limit.
func heardOf(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, reporteID string, limit time.Time) (known, deactivated bool, err error) {
	err = tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM reportes WHERE empresa_id = $1 AND reporte_id = $2),
			EXISTS (SELECT FROM avisos
				WHERE empresa_id = $1 AND reporte_id = $2 AND tipo = 'desactivacion' AND recibido_en > $3)`,
		string(empresa), reporteID, limit).Scan(&known, &deactivated)
	if err != nil {
		return false, false, fmt.Errorf("look for reporte: %w", err)
	}
	return known, deactivated, nil
}

// FlagReportes implements [resincronizacion.Store].
func (s *Store) FlagReportes(ctx context.Context, empresa tenant.EmpresaID, ultimos []resincronizacion.Ultimo, asked time.Time) error {
	if len(ultimos) == 0 {
		return nil
	}
	filas, estados, flags := make([]uuid.UUID, len(ultimos)), make([]string, len(ultimos)), make([]string, len(ultimos))
	for i, u := range ultimos {
		filas[i], estados[i], flags[i] = u.Fila, string(u.Estado), string(u.Observacion)
	}
	err := s.db.InEmpresaByKeys(ctx, empresa, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			UPDATE reportes r SET observacion = nullif(due.flag, ''), observada_en = CASE WHEN due.flag <> '' THEN due.ahora END
			FROM (
				SELECT *, statement_timestamp() AS ahora
				FROM unnest($2::uuid[], $3::text[], $4::text[]) WITH ORDINALITY AS n (id, estado, flag, n)
				WHERE id = ($2::uuid[])[n]
				OFFSET 0
			) due
			WHERE r.empresa_id = $1 AND r.id = due.id AND r.estado = due.estado
				AND coalesce(r.desactivado_en, r.activado_en) < $5`, string(empresa), filas, estados, flags, asked)
		return err
	})
	if err != nil {
		return fmt.Errorf("flag reportes: %w", err)
	}
	return nil
}
