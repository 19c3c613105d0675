// Package metrics is what the services' own metrics have in common. A metric is defined
// beside what it measures; its name starts with enlace_ and says its unit, and its labels
// take values of a closed list, never anything of a person.
package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Label is a label with all the values that it takes.
type Label struct {
	Name   string
	Values []string
}

// NewCounter makes a counter whose every series is there, at zero, before anything has
// happened: what has never been seen cannot be alerted on. A nil registerer keeps it to
// itself. A name that is taken is a programmer's mistake, and panics.
func NewCounter(registerer prometheus.Registerer, name, help string, labels ...Label) *prometheus.CounterVec {
	counter := promauto.With(registerer).NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, namesOf(labels))
	each(labels, func(values []string) { counter.WithLabelValues(values...) })
	return counter
}

// NewHistogram is the same for a histogram.
func NewHistogram(registerer prometheus.Registerer, name, help string, buckets []float64, labels ...Label) *prometheus.HistogramVec {
	histogram := promauto.With(registerer).NewHistogramVec(
		prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, namesOf(labels))
	each(labels, func(values []string) { histogram.WithLabelValues(values...) })
	return histogram
}

func namesOf(labels []Label) []string {
	names := make([]string, len(labels))
	for i, label := range labels {
		names[i] = label.Name
	}
	return names
}

// each visits every combination of the labels' values.
func each(labels []Label, visit func(values []string), chosen ...string) {
	if len(labels) == 0 {
		visit(chosen)
		return
	}
	for _, value := range labels[0].Values {
		each(labels[1:], visit, append(chosen, value)...)
	}
}
