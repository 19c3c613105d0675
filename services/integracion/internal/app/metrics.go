package app

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
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
