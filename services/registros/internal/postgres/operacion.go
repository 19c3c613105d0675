package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// EachSituacion hands over how far each Caso has come, by descending id, in chunks; reporteID
// "" means all.
func (s *Store) EachSituacion(ctx context.Context, empresa tenant.EmpresaID, reporteID string, yield func([]registros.Situacion) error) error {
	return eachPage(ctx, s.primary(empresa), empresa, `
		SELECT c.id, c.reporte_id, c.ciclo, c.estado, c.finalizacion,
			m.pendientes, m.notificadas, m.rechazadas, m.canceladas,
			c.basicos_en IS NOT NULL, c.busqueda_finalizada_en
		FROM casos c, LATERAL (
			SELECT count(*) FILTER (WHERE estado = 'pendiente') AS pendientes,
				count(*) FILTER (WHERE estado = 'notificada') AS notificadas,
				count(*) FILTER (WHERE estado = 'rechazada') AS rechazadas,
				count(*) FILTER (WHERE estado = 'cancelada') AS canceladas
			-- In two, because one index has phase 1 and another one the rest.
			FROM (
				SELECT estado FROM coincidencias WHERE empresa_id = $1 AND caso_id = c.id AND fase = 1
				UNION ALL
				SELECT estado FROM coincidencias WHERE empresa_id = $1 AND caso_id = c.id AND fase <> 1
			) todas
		) m
		WHERE c.empresa_id = $1 AND c.id < $3 AND ($4 = '' OR c.reporte_id = $4)
		ORDER BY c.id DESC LIMIT $2`, []any{uuid.Max}, []any{reporteID},
		scanSituacion, func(s registros.Situacion) []any { return []any{s.CasoID} }, yield)
}

func scanSituacion(row pgx.CollectableRow) (registros.Situacion, error) {
	var s registros.Situacion
	var finalizada *time.Time
	err := row.Scan(&s.CasoID, &s.ReporteID, &s.Ciclo, &s.Estado, &s.Finalizacion,
		&s.Pendientes, &s.Notificadas, &s.Rechazadas, &s.Canceladas, &s.Buscado, &finalizada)
	s.FinalizadaEn = pg.Value(finalizada)
	return s, err
}

// EachHallazgo hands over the Coincidencias that a filter chooses, oldest first, in chunks.
func (s *Store) EachHallazgo(ctx context.Context, empresa tenant.EmpresaID, f registros.Filtro, yield func([]registros.Hallazgo) error) error {
	return eachPage(ctx, s.primary(empresa), empresa, `
		SELECT m.id, c.reporte_id, c.ciclo, m.fase, m.folio, m.estado,
			m.detectada_en, m.notificada_en, m.detalle
		FROM coincidencias m JOIN casos c ON c.empresa_id = m.empresa_id AND c.id = m.caso_id
		WHERE m.empresa_id = $1 AND (m.detectada_en, m.id) > ($3, $4) AND ($5 = '' OR c.reporte_id = $5) AND ($6 = '' OR m.estado = $6)
			AND ($7::timestamptz IS NULL OR m.detectada_en >= $7) AND ($8::timestamptz IS NULL OR m.detectada_en < $8)
		ORDER BY m.detectada_en, m.id LIMIT $2`, oldest, []any{f.ReporteID, string(f.Estado), pg.NullTime(f.Desde), pg.NullTime(f.Hasta)},
		scanHallazgo, func(h registros.Hallazgo) []any { return []any{h.DetectadaEn, h.ID} }, yield)
}

func scanHallazgo(row pgx.CollectableRow) (registros.Hallazgo, error) {
	var h registros.Hallazgo
	var notificada *time.Time
	var detalle *string
	err := row.Scan(&h.ID, &h.ReporteID, &h.Ciclo, &h.Fase, &h.Folio, &h.Estado,
		&h.DetectadaEn, &notificada, &detalle)
	h.NotificadaEn, h.Detalle = pg.Value(notificada), pg.Value(detalle)
	return h, err
}

// EachBusqueda hands over the searches that a filter chooses, oldest first, in chunks.
func (s *Store) EachBusqueda(ctx context.Context, empresa tenant.EmpresaID, f registros.Filtro, yield func([]registros.Busqueda) error) error {
	return eachPage(ctx, s.primary(empresa), empresa, `
		SELECT b.id, c.reporte_id, c.ciclo, b.fase, b.ejecutada_en, b.registros, b.coincidencias
		FROM busquedas b JOIN casos c ON c.empresa_id = b.empresa_id AND c.id = b.caso_id
		WHERE b.empresa_id = $1 AND b.id > $3 AND ($4 = '' OR c.reporte_id = $4)
			AND ($5::timestamptz IS NULL OR b.ejecutada_en >= $5) AND ($6::timestamptz IS NULL OR b.ejecutada_en < $6)
		ORDER BY b.id LIMIT $2`, []any{uuid.Nil}, []any{f.ReporteID, pg.NullTime(f.Desde), pg.NullTime(f.Hasta)},
		func(row pgx.CollectableRow) (registros.Busqueda, error) {
			var b registros.Busqueda
			err := row.Scan(&b.ID, &b.ReporteID, &b.Ciclo, &b.Fase, &b.EjecutadaEn, &b.Registros, &b.Coincidencias)
			return b, err
		}, func(b registros.Busqueda) []any { return []any{b.ID} }, yield)
}

// RetryCoincidencia makes a Coincidencia pending again and asks for its delivery. Whether it may be
// told again is integracion's to say, which knows the platform's answer. One that is pending
// already stays so and waits no longer; a closed Caso tells nothing any more.
func (s *Store) RetryCoincidencia(ctx context.Context, empresa tenant.EmpresaID, id registros.CoincidenciaID) error {
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		caso, err := lockCasoOf(ctx, tx, empresa, id)
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			UPDATE coincidencias SET estado = 'pendiente', detalle = NULL, notificada_en = NULL, apartada_hasta = NULL
			WHERE empresa_id = $1 AND id = $2 AND estado <> 'cancelada'`, string(empresa), id)
		if err != nil {
			return fmt.Errorf("retry coincidencia: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return errs.New(errores.Conflicto, "La coincidencia está cancelada.")
		}
		err = s.queue.HurryCasos(ctx, tx, empresa, []registros.CasoID{caso})
		if err != nil {
			return err
		}
		return bumpRevision(ctx, tx, empresa)
	})
	if err != nil {
		return fmt.Errorf("retry coincidencia %s: %w", id, err)
	}
	return nil
}

// RetryFinalizacion makes a rejected end of a search pending again and asks for its delivery.
// One that is pending already stays so; a closed Caso tells nothing any more. Meanwhile the
// Caso is as before the end of its search: what is found waits until that was told.
func (s *Store) RetryFinalizacion(ctx context.Context, empresa tenant.EmpresaID, reporteID string, ciclo int) error {
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		caso, found, err := findCaso(ctx, tx, empresa, reporteID, ciclo)
		switch {
		case err != nil:
			return err
		case !found:
			return errs.New(errores.NoEncontrado, "No existe el caso de ese reporte.")
		case caso.Estado == registros.CasoCerrado:
			return errs.New(errores.Conflicto, errores.DetalleReporteInactivo)
		}
		tag, err := tx.Exec(ctx, `
			UPDATE casos SET finalizacion = 'pendiente', estado = 'en_busqueda', fin_apartado_hasta = NULL, actualizado_en = now()
			WHERE empresa_id = $1 AND id = $2 AND finalizacion IN ('rechazada', 'pendiente')`, string(empresa), caso.ID)
		if err != nil {
			return fmt.Errorf("reopen end of search: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return errs.New(errores.Conflicto, errores.DetalleFinNoRechazado)
		}
		err = s.queue.HurryCasos(ctx, tx, empresa, []registros.CasoID{caso.ID})
		if err != nil {
			return err
		}
		return bumpRevision(ctx, tx, empresa)
	})
	if err != nil {
		return fmt.Errorf("retry end of search: %w", err)
	}
	return nil
}

// lockCasoOf locks the open Caso of a Coincidencia, as all do who add to what is pending.
func lockCasoOf(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, id registros.CoincidenciaID) (registros.CasoID, error) {
	var caso registros.CasoID
	var estado registros.EstadoCaso
	err := tx.QueryRow(ctx, `
		SELECT c.id, c.estado FROM casos c
		JOIN coincidencias m ON m.empresa_id = c.empresa_id AND m.caso_id = c.id
		WHERE m.empresa_id = $1 AND m.id = $2 FOR UPDATE OF c`, string(empresa), id).Scan(&caso, &estado)
	if errors.Is(err, pgx.ErrNoRows) {
		return caso, errs.New(errores.NoEncontrado, errores.DetalleSinCoincidencia)
	}
	if err != nil {
		return caso, fmt.Errorf("lock caso: %w", err)
	}
	if estado == registros.CasoCerrado {
		return caso, errs.New(errores.Conflicto, errores.DetalleReporteInactivo)
	}
	return caso, nil
}
