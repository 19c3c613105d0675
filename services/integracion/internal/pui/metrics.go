package pui

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/metrics"
)

// clientMetrics measure how the platform answers.
type clientMetrics struct {
	answers *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

func newClientMetrics(registerer prometheus.Registerer) *clientMetrics {
	routes := metrics.Label{Name: "route", Values: []string{bitacora.AccionLogin, bitacora.AccionNotificar, bitacora.AccionFinalizar, bitacora.AccionReportes}}
	return &clientMetrics{
		answers: metrics.NewCounter(registerer, "enlace_platform_answers_total",
			"What the platform was asked, by route and outcome; the outcomes are the motivos of the Bitácora. A login that is refused counts for what needed it too.",
			routes, metrics.Label{Name: "outcome", Values: []string{
				motivoAceptado, motivoMultiples, motivoRechazado, motivoCredencial, motivoDireccion, motivoLimite,
				motivoServidor, motivoTiempo, motivoRed, motivoInterno, motivoIlegible}}),
		seconds: metrics.NewHistogram(registerer, "enlace_platform_answer_seconds",
			"How long the platform took, by route, with the login if one was needed.",
			[]float64{.025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15, 30}, routes),
	}
}

func (m *clientMetrics) answered(route, outcome string, took time.Duration) {
	m.answers.WithLabelValues(route, outcome).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}
