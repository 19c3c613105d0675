package edge

import (
	"fmt"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
)

// metrics count requests by route, never by client.
type metrics struct {
	requests  *prometheus.HistogramVec
	untrusted prometheus.Counter
}

// newMetrics registers the metrics, with the success of every RPC's route at zero: what has
// never been seen cannot be alerted on.
func newMetrics(registerer prometheus.Registerer, all []*routes.Route) (*metrics, error) {
	m := &metrics{requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "enlace_http_request_duration_seconds",
		Help:    "Time to answer an HTTP request, by method, pattern of the route (empty if there is none) and status; 499 is a client that went away.",
		Buckets: []float64{.002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60},
	}, []string{"method", "route", "status"}), untrusted: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "enlace_http_forwarded_untrusted_total",
		Help: "Requests with an X-Forwarded-For from an address that is not in TRUSTED_PROXIES, which was not believed.",
	})}
	for _, each := range []prometheus.Collector{m.requests, m.untrusted} {
		err := registerer.Register(each)
		if err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	for _, route := range all {
		if route.RPC != "" {
			m.requests.WithLabelValues(route.Method, route.Pattern, strconv.Itoa(route.Success))
		}
	}
	return m, nil
}

func (m *metrics) observe(method, route string, status int, taken time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(taken.Seconds())
}
