package jobs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/metrics"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// lagBuckets are in seconds: from a platform that answers at once to one that was away for
// a day.
var lagBuckets = []float64{.1, .25, .5, 1, 2.5, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600}

// measuredPasos measures how long a Coincidencia took to be told.
type measuredPasos struct {
	registros.PasoStore
	lag *prometheus.HistogramVec
}

func newLag(registerer prometheus.Registerer) *prometheus.HistogramVec {
	return metrics.NewHistogram(registerer, "enlace_delivery_lag_seconds",
		"From the commit of what was found, by a search (phases 1 and 2) or a written Registro (3), until the platform took it.",
		lagBuckets, metrics.Label{Name: "phase", Values: []string{"1", "2", "3"}})
}

// RecordPaso implements [registros.PasoStore].
func (m measuredPasos) RecordPaso(ctx context.Context, empresa tenant.EmpresaID, caso registros.CasoID, paso registros.Paso, r envio.Respuesta) (registros.Paso, error) {
	next, err := m.PasoStore.RecordPaso(ctx, empresa, caso, paso, r)
	if err == nil && paso.Coincidencia != nil && r.Resultado == envio.Aceptado {
		m.lag.WithLabelValues(paso.Coincidencia.Fase.String()).Observe(time.Since(paso.Coincidencia.DetectadaEn).Seconds())
	}
	return next, err
}

const (
	nounCaso     = "caso"
	nounRegistro = "registro"
	nounLote     = "lote"
)
