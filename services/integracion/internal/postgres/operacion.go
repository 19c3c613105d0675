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

// reopenings is what is said when an Envío is reopened, or is not.
var reopenings = map[entregas.TipoEnvio]struct{ accion, missing, notRejected string }{
	entregas.EnvioCoincidencia: {
		"coincidencia_reintentada", "No existe un envío de esa coincidencia.", "La coincidencia no está rechazada.",
	},
	entregas.EnvioFinalizacion: {
		"fin_reintentado", "Todavía no se ha enviado el fin de la búsqueda de ese reporte.", errores.DetalleFinNoRechazado,
	},
}

// ReopenEnvio implements [seguimiento.Store]. The Reporte's row is locked before
// the Envío's, as everywhere.
func (s *Store) ReopenEnvio(ctx context.Context, e entregas.Envio) error {
	said := reopenings[e.Tipo]
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
			return errs.New(errores.NoEncontrado, said.missing)
		}
		if err != nil {
			return fmt.Errorf("find envio: %w", err)
		}
		if !activo {
			return errs.New(errores.Conflicto, errores.DetalleReporteInactivo)
		}
		tag, err := tx.Exec(ctx, `
			UPDATE envios SET estado = 'pendiente', decidido_en = NULL, siguiente_en = NULL, detalle = NULL
			WHERE empresa_id = $1 AND id = $2 AND estado IN ('rechazado', 'pendiente')`, string(e.EmpresaID), envio)
		if err != nil {
			return fmt.Errorf("reopen envio: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return errs.New(errores.Conflicto, said.notRejected)
		}
		return insertAsiento(ctx, tx, bitacora.Asiento{
			EmpresaID: e.EmpresaID, Tipo: bitacora.AsientoCambio, Accion: said.accion,
			ReporteID: reporteID, Recurso: e.Clave,
		})
	})
}
