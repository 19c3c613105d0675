package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/metrics"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// mostAtrasadas bounds the series of undeliveredDesc, which are one an institution: when
// more wait than that, the platform is away, and the oldest tell enough.
const mostAtrasadas = 50

var (
	casosDesc = prometheus.NewDesc("enlace_casos_open",
		"Open Casos by the phase that they are in: 1 before its search, 2 until the platform knows that the search ended, 3 monitoring. "+
			"Every replica reports the same: use max().", []string{"phase"}, nil)
	undeliveredDesc = prometheus.NewDesc("enlace_coincidencia_undelivered_age_seconds",
		"How long the oldest Coincidencia of an institution has waited to be told; only institutions with one, and of them those that wait longest. "+
			"Every replica reports the same: use max().", []string{"id_empresa"}, nil)
)

// Sample reads how the Casos stand, what the platform has not been told yet, and how full the
// quotas are, of all institutions.
func (s *Store) Sample() metrics.Sample {
	return metrics.Sample{
		Name:   "casos",
		Gauges: []*prometheus.Desc{casosDesc, undeliveredDesc, cuotaDesc},
		Read: func(ctx context.Context) ([]prometheus.Metric, error) {
			var gauges []prometheus.Metric
			err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
				casos, err := countCasos(ctx, tx)
				if err != nil {
					return err
				}
				atrasadas, err := readByEmpresa(ctx, tx, undeliveredDesc, oldestPendientes, mostAtrasadas)
				if err != nil {
					return err
				}
				cuotas, err := s.readCuotas(ctx, tx)
				gauges = slices.Concat(casos, atrasadas, cuotas)
				return err
			})
			return gauges, err
		},
	}
}

// countAbiertos reads casos_abiertos_idx and casos_por_finalizar_idx alone: what it costs
// depends on the open Casos. The phases are those of [registros.Situacion].
const countAbiertos = `
	SELECT * FROM (SELECT count(*) FROM casos WHERE estado <> 'cerrado') abiertos,
		(SELECT count(*), count(basicos_en) FROM casos WHERE estado <> 'cerrado' AND finalizacion = 'pendiente') por_finalizar`

func countCasos(ctx context.Context, tx pgx.Tx) ([]prometheus.Metric, error) {
	var abiertos, porFinalizar, conBasicos int64
	err := tx.QueryRow(ctx, countAbiertos).Scan(&abiertos, &porFinalizar, &conBasicos)
	if err != nil {
		return nil, fmt.Errorf("count open casos: %w", err)
	}
	return []prometheus.Metric{
		casosGauge(manual.FaseBasicos, porFinalizar-conBasicos),
		casosGauge(manual.FaseHistorica, conBasicos),
		casosGauge(manual.FaseContinua, abiertos-porFinalizar),
	}, nil
}

func casosGauge(fase manual.Fase, casos int64) prometheus.Metric {
	return prometheus.MustNewConstMetric(casosDesc, prometheus.GaugeValue, float64(casos), strconv.Itoa(int(fase)))
}

// oldestPendientes looks up the first entry of each institution in coincidencias_espera_idx:
// what it costs depends on the institutions, however much is pending.
const oldestPendientes = `
	SELECT r.empresa_id, extract(epoch FROM greatest(clock_timestamp() - m.detectada_en, interval '0'))::float8
	FROM revisiones r, LATERAL (
		SELECT detectada_en FROM coincidencias
		WHERE empresa_id = r.empresa_id AND estado = 'pendiente' AND apartada_hasta IS NULL ORDER BY detectada_en LIMIT 1) m
	ORDER BY m.detectada_en LIMIT $1`

// readByEmpresa makes a gauge of each row of a query, an institution and a value.
func readByEmpresa(ctx context.Context, tx pgx.Tx, desc *prometheus.Desc, query string, args ...any) ([]prometheus.Metric, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read gauges of institutions: %w", err)
	}
	var gauges []prometheus.Metric
	var empresa tenant.EmpresaID
	var value float64
	_, err = pgx.ForEachRow(rows, []any{&empresa, &value}, func() error {
		gauges = append(gauges, prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, string(empresa)))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read gauges of institutions: %w", err)
	}
	return gauges, nil
}
