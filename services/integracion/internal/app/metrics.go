package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/metrics"
)

// measureCircuits tells how the circuits of this replica stand.
func measureCircuits(registerer prometheus.Registerer, circuito *entregas.MemoryCircuito) {
	for _, estado := range []entregas.EstadoCircuito{
		entregas.CircuitoCerrado, entregas.CircuitoAbierto, entregas.CircuitoEnRecuperacion,
	} {
		promauto.With(registerer).NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "enlace_platform_circuits",
			Help:        "Institutions for which this replica has called the platform, by the state of their circuit; while one is open nothing is sent.",
			ConstLabels: prometheus.Labels{"state": string(estado)},
		}, func() float64 { return float64(circuito.Count()[estado]) })
	}
}

var pendientesDesc = prometheus.NewDesc("enlace_pendientes",
	"What needs an operator, by kind, as `estado` lists it; what registros knows is missing while it is away. Every replica reports the same: use max().",
	[]string{"kind"}, nil)

// samplePendientes tells whoever watches what `estado` tells whoever asks.
func samplePendientes(s *seguimiento.Seguimiento) metrics.Sample {
	return metrics.Sample{
		Name:   "pendientes",
		Gauges: []*prometheus.Desc{pendientesDesc},
		Read: func(ctx context.Context) ([]prometheus.Metric, error) {
			resumen, err := s.Resumen(ctx)
			if err != nil {
				return nil, err
			}
			var gauges []prometheus.Metric
			for tipo, total := range resumen.Totales() {
				gauges = append(gauges, prometheus.MustNewConstMetric(pendientesDesc, prometheus.GaugeValue, float64(total), string(tipo)))
			}
			return gauges, nil
		},
	}
}
