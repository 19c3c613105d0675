package metrics

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

const (
	// sampleFresh is how long what was read stands, so that many who scrape cannot hurt the
	// database.
	sampleFresh = 15 * time.Second
	// sampleTimeout bounds one reading; Prometheus itself gives up a scrape after ten seconds.
	sampleTimeout = 2 * time.Second
)

// Sample is gauges that are read from a database when somebody scrapes. Every replica reads
// the same numbers.
type Sample struct {
	// Name tells in enlace_sample_failures_total what could not be read.
	Name string
	// Gauges are all that Read may give.
	Gauges []*prometheus.Desc
	// Read reads the gauges. What cannot be read is not told, rather than told as it was.
	Read func(ctx context.Context) ([]prometheus.Metric, error)
}

// Register adds the sample to a registry; nil: none.
func (s Sample) Register(registerer prometheus.Registerer) {
	if registerer == nil {
		return
	}
	failures := promauto.With(registerer).NewCounter(prometheus.CounterOpts{
		Name:        "enlace_sample_failures_total",
		Help:        "Readings of gauges from the database that failed; those gauges are then missing.",
		ConstLabels: prometheus.Labels{"sample": s.Name},
	})
	registerer.MustRegister(&sampler{sample: s, failures: failures})
}

// sampler is a Sample as Prometheus collects it.
type sampler struct {
	sample   Sample
	failures prometheus.Counter

	mu     sync.Mutex
	readAt time.Time
	read   []prometheus.Metric
}

// Describe implements [prometheus.Collector].
func (s *sampler) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range s.sample.Gauges {
		descs <- desc
	}
}

// Collect implements [prometheus.Collector]. Who comes during a reading waits for it.
func (s *sampler) Collect(metrics chan<- prometheus.Metric) {
	for _, metric := range s.latest() {
		metrics <- metric
	}
}

func (s *sampler) latest() []prometheus.Metric {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.readAt.IsZero() && time.Since(s.readAt) < sampleFresh {
		return s.read
	}
	ctx, cancel := context.WithTimeout(context.Background(), sampleTimeout)
	defer cancel()
	read, err := s.sample.Read(ctx)
	s.readAt, s.read = time.Now(), read
	if err != nil {
		slog.WarnContext(ctx, "gauges could not be read", "sample", s.sample.Name, "error", err)
		s.failures.Inc()
		s.read = nil
	}
	return s.read
}
