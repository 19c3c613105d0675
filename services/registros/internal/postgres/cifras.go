package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// listCifras reads the batches and Coincidencias of some days by their primary keys, which
// grow with time: $4 is an id from before the first of these days, $2 and $3 are the first
// and the last.
const listCifras = `
	WITH recibido AS (
		SELECT (recibido_en AT TIME ZONE 'America/Mexico_City')::date AS dia,
			sum(total) AS total, sum(creados) AS creados, sum(actualizados) AS actualizados, sum(rechazados) AS rechazados
		FROM lotes WHERE empresa_id = $1 AND id >= $4 GROUP BY 1
	), hallado AS (
		SELECT (detectada_en AT TIME ZONE 'America/Mexico_City')::date AS dia, count(*) AS total, count(notificada_en) AS notificadas,
			percentile_disc(0.5) WITHIN GROUP (ORDER BY notificada_en - detectada_en) AS mediana
		FROM coincidencias WHERE empresa_id = $1 AND id >= $4 GROUP BY 1
	)
	SELECT d::date, coalesce(r.total, 0), coalesce(r.creados, 0), coalesce(r.actualizados, 0), coalesce(r.rechazados, 0),
		coalesce(h.total, 0), coalesce(h.notificadas, 0), coalesce(h.mediana, interval '0')
	FROM generate_series($2::timestamp, $3::timestamp, interval '1 day') d
	LEFT JOIN recibido r ON r.dia = d LEFT JOIN hallado h ON h.dia = d
	ORDER BY d`

// ListCifras sums the last [registros.DiasDeCifras] days up to that of an instant, oldest first.
func (s *Store) ListCifras(ctx context.Context, empresa tenant.EmpresaID, now time.Time) ([]registros.Cifras, error) {
	last := manual.FechaOf(now).Time()
	first := last.AddDate(0, 0, 1-registros.DiasDeCifras)
	var all []registros.Cifras
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, listCifras, string(empresa), first, last, idBefore(first))
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, scanCifras)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list figures: %w", err)
	}
	return all, nil
}

func scanCifras(row pgx.CollectableRow) (registros.Cifras, error) {
	var c registros.Cifras
	var dia time.Time
	err := row.Scan(&dia, &c.Recibidos, &c.Creados, &c.Actualizados, &c.Rechazados, &c.Coincidencias, &c.Notificadas, &c.Mediana)
	c.Dia = manual.FechaUTC(dia)
	return c, err
}

// idBefore is lower than every id that was made on a day of Mexico City, whose midnight in UTC
// it takes, six hours before the day begins there: more than clocks differ.
func idBefore(day time.Time) uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(day.UnixMilli())<<16)
	return id
}
