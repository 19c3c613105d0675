package rpc

import (
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc/codes"
)

// metrics counts calls per RPC and code. The labels are bounded: a server only ever sees
// the methods registered on it, a client only those that our code calls, and gRPC has
// seventeen codes.
type metrics struct {
	calls   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	panics  *prometheus.CounterVec
}

// newMetrics registers the metrics of one side, "server" or "client". Several clients of a
// program share theirs. Without a registerer they are kept and shown nowhere.
func newMetrics(registerer prometheus.Registerer, side string) (*metrics, error) {
	m := &metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "grpc_" + side + "_calls_total",
			Help: "Calls that ended, by RPC and gRPC code.",
		}, []string{"rpc", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "grpc_" + side + "_call_seconds",
			Help:    "How long calls took.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"rpc"}),
		panics: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "grpc_" + side + "_panics_total",
			Help: "Calls whose handler panicked.",
		}, []string{"rpc"}),
	}
	if registerer == nil {
		return m, nil
	}
	err := errors.Join(register(registerer, &m.calls), register(registerer, &m.seconds), register(registerer, &m.panics))
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return m, nil
}

// register adds a collector, or takes the one that is there already.
func register[C prometheus.Collector](registerer prometheus.Registerer, collector *C) error {
	err := registerer.Register(*collector)
	existing, shared := errors.AsType[prometheus.AlreadyRegisteredError](err)
	if !shared {
		return err
	}
	same, ok := existing.ExistingCollector.(C)
	if !ok {
		return err
	}
	*collector = same
	return nil
}

func (m *metrics) observe(rpc string, code codes.Code, taken time.Duration) {
	m.calls.WithLabelValues(rpc, code.String()).Inc()
	m.seconds.WithLabelValues(rpc).Observe(taken.Seconds())
}
