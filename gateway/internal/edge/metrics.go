package edge

import (
	"fmt"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics count requests by route, never by client.
type metrics struct {
	requests *prometheus.HistogramVec
}

func newMetrics(registerer prometheus.Registerer) (*metrics, error) {
	m := &metrics{requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "gateway_request_duration_seconds",
		Help:    "Time to answer an HTTP request, by method, route and status.",
		Buckets: []float64{.002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60},
	}, []string{"method", "route", "status"})}
	err := registerer.Register(m.requests)
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return m, nil
}

func (m *metrics) observe(method, route string, status int, taken time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(taken.Seconds())
}
