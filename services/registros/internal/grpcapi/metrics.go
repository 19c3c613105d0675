package grpcapi

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/enlace-iis/enlace/services/internal/metrics"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// The ways by which Registros come.
const (
	routeRegistros = "registros"
	routeLote      = "lote"
	routeEventos   = "eventos"
	routeValidar   = "validar" // writes nothing
)

// rechazado is the outcome of a Registro that was not written; the others are those of
// [registros.Cambio].
const rechazado = "rechazado"

// Metrics counts the Registros that come in.
type Metrics struct {
	perRequest *prometheus.HistogramVec
	received   *prometheus.CounterVec
}

// NewMetrics registers the metrics; nil: they are kept to themselves.
func NewMetrics(registerer prometheus.Registerer) *Metrics {
	return &Metrics{
		perRequest: metrics.NewHistogram(registerer, "enlace_registros_per_request",
			"Registros in a request that was not refused for their number, by route.",
			[]float64{1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000},
			metrics.Label{Name: "route", Values: []string{routeRegistros, routeLote, routeEventos, routeValidar}}),
		received: metrics.NewCounter(registerer, "enlace_registros_received_total",
			"Registros that were to be written, by route and what became of them.",
			metrics.Label{Name: "route", Values: []string{routeRegistros, routeLote, routeEventos}},
			metrics.Label{Name: "result", Values: []string{
				string(registros.Creado), string(registros.Actualizado), string(registros.SinCambios), rechazado}}),
	}
}

func (m *Metrics) requested(route string, total int) {
	m.perRequest.WithLabelValues(route).Observe(float64(total))
}

// saved counts what a write did, and what was left out of it.
func (m *Metrics) saved(route string, g registros.Guardado, rechazados int) {
	m.add(route, string(registros.Creado), g.Creados)
	m.add(route, string(registros.Actualizado), g.Actualizados)
	m.add(route, string(registros.SinCambios), g.SinCambios)
	m.add(route, rechazado, rechazados)
}

// refused counts Registros of a request that wrote none.
func (m *Metrics) refused(route string, total int) {
	m.add(route, rechazado, total)
}

func (m *Metrics) add(route, result string, n int) {
	m.received.WithLabelValues(route, result).Add(float64(n))
}
