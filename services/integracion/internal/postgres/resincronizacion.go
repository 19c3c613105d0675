package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/integracion"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// GetSalida implements [integracion.ResincronizacionStore].
func (s *Store) GetSalida(ctx context.Context, empresa tenant.EmpresaID) (integracion.SalidaEmpresa, error) {
	var out integracion.SalidaEmpresa
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		found, err := readSalida(ctx, tx, empresa)
		if err != nil {
			return err
		}
		out.Institucion, out.Clave = found.institucion, found.clave
		out.Apta = found.estado == integracion.EmpresaActiva && found.institucion.URL != "" && !found.clave.IsZero()
		return tx.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&out.Ahora)
	})
	return out, err
}

// FindUnknown implements [integracion.ResincronizacionStore].
func (s *Store) FindUnknown(ctx context.Context, empresa tenant.EmpresaID, ids []string) ([]string, error) {
	var unknown []string
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			SELECT DISTINCT listado FROM unnest($2::text[]) listado
			WHERE NOT EXISTS (SELECT FROM reportes WHERE empresa_id = $1 AND reporte_id = listado)`, string(empresa), ids)
		if err != nil {
			return err
		}
		unknown, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for unknown reportes: %w", err)
	}
	return unknown, nil
}

// ActivateListado implements [integracion.ResincronizacionStore].
func (s *Store) ActivateListado(ctx context.Context, empresa tenant.EmpresaID, solicitud integracion.Solicitud, limit time.Time) (integracion.Alta, error) {
	var alta integracion.Alta
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		alta = integracion.AltaInnecesaria
		err := lockReporteID(ctx, tx, empresa, solicitud.ReporteID)
		if err != nil {
			return err
		}
		known, deactivated, err := heardOf(ctx, tx, empresa, solicitud.ReporteID, limit)
		if err != nil || known {
			return err
		}
		if deactivated {
			alta = integracion.AltaDetenida
			return nil
		}
		created, err := s.insertListado(ctx, tx, empresa, solicitud)
		if created {
			alta = integracion.AltaHecha
		}
		return err
	})
	return alta, err
}

// insertListado stores what the list tells of, and what follows from it; false means that
// the platform's own activation came in between.
func (s *Store) insertListado(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, solicitud integracion.Solicitud) (bool, error) {
	huella := s.huellaOf(solicitud.Persona.CURP)
	r, created, err := insertReporte(ctx, tx, empresa, solicitud, huella)
	if err != nil || !created {
		return false, err
	}
	err = s.queue.SyncCaso(ctx, tx, empresa, r.Fila)
	if err != nil {
		return false, err
	}
	err = insertAsiento(ctx, tx, integracion.Asiento{
		EmpresaID: empresa, Tipo: integracion.AsientoResincronizacion, Accion: integracion.AccionActivarPorListado,
		ReporteID: r.ReporteID, HuellaCURP: huella,
	})
	if err != nil {
		return false, err
	}
	return true, insertAviso(ctx, tx, empresa, integracion.Aviso{
		ReporteID: r.ReporteID, Tipo: integracion.AvisoActivacion, CURP: solicitud.Persona.CURP,
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

// flagReportes gives each Reporte's last cycle the flag that the list deserves. Only what
// changes is written, and nothing that changed after the list was asked for.
const flagReportes = `
WITH ultimos AS (
	SELECT DISTINCT ON (reporte_id) id, reporte_id, estado, observacion, coalesce(desactivado_en, activado_en) AS cambio
	FROM reportes WHERE empresa_id = $1 ORDER BY reporte_id, ciclo DESC
), juzgados AS (
	SELECT id, observacion, CASE
		WHEN estado = 'activo' AND NOT reporte_id = ANY ($2) THEN 'no_listado'
		WHEN estado = 'desactivado' AND reporte_id = ANY ($2) THEN 'listado_tras_baja'
	END AS debida
	FROM ultimos WHERE cambio < $3
), cambiados AS (
	UPDATE reportes r SET observacion = j.debida, observada_en = CASE WHEN j.debida IS NOT NULL THEN clock_timestamp() END
	FROM juzgados j
	WHERE r.empresa_id = $1 AND r.id = j.id AND j.debida IS DISTINCT FROM j.observacion
)
SELECT count(*) FILTER (WHERE debida = 'no_listado'), count(*) FILTER (WHERE debida = 'listado_tras_baja') FROM juzgados`

// FlagReportes implements [integracion.ResincronizacionStore].
func (s *Store) FlagReportes(ctx context.Context, empresa tenant.EmpresaID, ids []string, asked time.Time) (integracion.Observados, error) {
	var o integracion.Observados
	if ids == nil {
		ids = []string{}
	}
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, flagReportes, string(empresa), ids, asked).Scan(&o.NoListados, &o.ListadosTrasBaja)
	})
	if err != nil {
		return o, fmt.Errorf("flag reportes: %w", err)
	}
	return o, nil
}
