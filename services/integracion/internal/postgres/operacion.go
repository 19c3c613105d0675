package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// SetPausa keeps an institution's deliveries back, or lets them go out again. The first
// instant of a pause stays.
func (s *Store) SetPausa(ctx context.Context, id tenant.EmpresaID, pausada bool) (cuentas.Empresa, error) {
	accion := "entrega_reanudada"
	if pausada {
		accion = "entrega_pausada"
	}
	return s.changeEmpresa(ctx, id, accion, `
		UPDATE empresas AS e SET entrega_pausada_en = CASE WHEN $2 THEN coalesce(entrega_pausada_en, clock_timestamp()) END
		WHERE id = $1 RETURNING `+empresaColumns, string(id), pausada)
}

// ListSeguidos implements [seguimiento.Store].
func (s *Store) ListSeguidos(ctx context.Context, empresa tenant.EmpresaID, reporteID string) ([]seguimiento.Seguido, error) {
	var all []seguimiento.Seguido
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			SELECT id, reporte_id, ciclo, estado, activado_en, desactivado_en, coalesce(observacion, ''), observada_en, curp_huella
			FROM reportes WHERE empresa_id = $1 AND ($2 = '' OR reporte_id = $2)
			ORDER BY activado_en DESC, id DESC`, string(empresa), reporteID)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, scanSeguido)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list reportes: %w", err)
	}
	return all, nil
}

func scanSeguido(row pgx.CollectableRow) (seguimiento.Seguido, error) {
	var r seguimiento.Seguido
	var desactivado, observada *time.Time
	err := row.Scan(&r.Fila, &r.ReporteID, &r.Ciclo, &r.Estado, &r.ActivadoEn, &desactivado, &r.Observacion, &observada, &r.HuellaCURP)
	r.DesactivadoEn, r.ObservadaEn = pg.Value(desactivado), pg.Value(observada)
	return r, err
}

// envioChange is what an operator makes of an Envío, and what is said of it.
type envioChange struct {
	accion  map[entregas.TipoEnvio]string
	detalle string
	refused map[entregas.TipoEnvio]string
	update  string
}

var (
	reopening = envioChange{
		accion: map[entregas.TipoEnvio]string{entregas.EnvioCoincidencia: "coincidencia_reintentada", entregas.EnvioFinalizacion: "fin_reintentado"},
		refused: map[entregas.TipoEnvio]string{
			entregas.EnvioCoincidencia: "La coincidencia no está rechazada.", entregas.EnvioFinalizacion: errores.DetalleFinNoRechazado,
		},
		update: `
			UPDATE envios SET estado = 'pendiente', decidido_en = NULL, siguiente_en = NULL, atascado_en = NULL,
				status = NULL, motivo = NULL, detalle = nullif($3, '')
			WHERE empresa_id = $1 AND id = $2
				AND (estado IN ('rechazado', 'pendiente') OR tipo = 'coincidencia' AND status = 300)`,
	}
	skipping = envioChange{
		accion:  map[entregas.TipoEnvio]string{entregas.EnvioCoincidencia: "coincidencia_saltada", entregas.EnvioFinalizacion: "fin_saltado"},
		detalle: "La plataforma no la aceptaba y un operador decidió no insistir.",
		refused: map[entregas.TipoEnvio]string{
			entregas.EnvioCoincidencia: "La coincidencia ya se notificó, o se está notificando.",
			entregas.EnvioFinalizacion: "La plataforma ya conoce el fin de esa búsqueda, o se le está avisando.",
		},
		update: `
			UPDATE envios SET estado = 'rechazado', decidido_en = coalesce(decidido_en, now()), siguiente_en = NULL, atascado_en = NULL,
				detalle = CASE WHEN estado = 'pendiente' THEN $3 ELSE detalle END
			WHERE empresa_id = $1 AND id = $2
				AND (estado = 'rechazado' OR estado = 'pendiente' AND (ocupado_hasta IS NULL OR ocupado_hasta < now()))`,
	}
	envioMissing = map[entregas.TipoEnvio]string{
		entregas.EnvioCoincidencia: "No existe un envío de esa coincidencia.",
		entregas.EnvioFinalizacion: "Todavía no se ha enviado el fin de la búsqueda de ese reporte.",
	}
)

// ReopenEnvio implements [seguimiento.Store].
func (s *Store) ReopenEnvio(ctx context.Context, e entregas.Envio) error {
	return s.changeEnvio(ctx, e, reopening)
}

// SkipEnvio implements [seguimiento.Store].
func (s *Store) SkipEnvio(ctx context.Context, e entregas.Envio) error {
	return s.changeEnvio(ctx, e, skipping)
}

// changeEnvio locks the Reporte's row before the Envío's, as everywhere.
func (s *Store) changeEnvio(ctx context.Context, e entregas.Envio, change envioChange) error {
	return s.db.InEmpresa(ctx, e.EmpresaID, func(tx pgx.Tx) error {
		var envio uuid.UUID
		var reporteID string
		var activo bool
		err := tx.QueryRow(ctx, `
			SELECT e.id, r.reporte_id, r.estado = 'activo' FROM reportes r
			JOIN envios e ON e.empresa_id = r.empresa_id AND e.reporte_fila = r.id
			WHERE e.empresa_id = $1 AND e.tipo = $2 AND e.clave = $3 FOR SHARE OF r`,
			string(e.EmpresaID), string(e.Tipo), e.Clave).Scan(&envio, &reporteID, &activo)
		if errors.Is(err, pgx.ErrNoRows) {
			return errs.New(errores.NoEncontrado, envioMissing[e.Tipo])
		}
		if err != nil {
			return fmt.Errorf("find envio: %w", err)
		}
		if !activo {
			return errs.New(errores.Conflicto, errores.DetalleReporteInactivo)
		}
		tag, err := tx.Exec(ctx, change.update, string(e.EmpresaID), envio, change.detalle)
		if err != nil {
			return fmt.Errorf("change envio: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return errs.New(errores.Conflicto, change.refused[e.Tipo])
		}
		return insertAsiento(ctx, tx, bitacora.Asiento{
			EmpresaID: e.EmpresaID, Tipo: bitacora.AsientoCambio, Accion: change.accion[e.Tipo],
			ReporteID: reporteID, Recurso: e.Clave,
		})
	})
}

// reabribles are read from envios_atascados_idx and envios_varias_idx.
var reabribles = map[seguimiento.Reintentables]string{
	seguimiento.ReintentablesAtascadas: `atascado_en IS NOT NULL AND e.estado = 'pendiente'`,
	seguimiento.ReintentablesMultiples: `status = 300`,
}

// ListReabribles implements [seguimiento.Store].
func (s *Store) ListReabribles(ctx context.Context, empresa tenant.EmpresaID, cuales seguimiento.Reintentables) ([]string, error) {
	var claves []string
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			SELECT clave FROM envios e WHERE empresa_id = $1 AND tipo = 'coincidencia' AND `+reabribles[cuales]+` AND EXISTS (
				SELECT FROM reportes r WHERE r.empresa_id = e.empresa_id AND r.id = e.reporte_fila AND r.estado = 'activo')
			ORDER BY clave`, string(empresa))
		if err != nil {
			return err
		}
		claves, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list envios: %w", err)
	}
	return claves, nil
}
