package metrics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// values gives every series of a registry, as name{label values}.
func values(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			var labels []string
			for _, label := range metric.GetLabel() {
				labels = append(labels, label.GetValue())
			}
			value := metric.GetGauge().GetValue() + metric.GetCounter().GetValue() + float64(metric.GetHistogram().GetSampleCount())
			all[fmt.Sprint(family.GetName(), labels)] = value
		}
	}
	return all
}

func TestNew_everySeriesIsThereFromTheStart(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	counter := NewCounter(registry, "enlace_c_total", "c", Label{"a", []string{"1", "2"}}, Label{"b", []string{"x", "y"}})
	NewHistogram(registry, "enlace_h_seconds", "h", []float64{1}, Label{"a", []string{"1"}})
	counter.WithLabelValues("2", "x").Inc()
	want := map[string]float64{
		"enlace_c_total[1 x]": 0, "enlace_c_total[1 y]": 0, "enlace_c_total[2 x]": 1, "enlace_c_total[2 y]": 0,
		"enlace_h_seconds[1]": 0,
	}
	if got := values(t, registry); !maps.Equal(got, want) {
		t.Errorf("series %v, want %v", got, want)
	}
}

func TestSample_isReadOnceHoweverManyScrape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		desc := prometheus.NewDesc("enlace_g", "g", nil, nil)
		var failure error
		reads := 0
		registry := prometheus.NewRegistry()
		Sample{Name: "gs", Gauges: []*prometheus.Desc{desc}, Read: func(context.Context) ([]prometheus.Metric, error) {
			reads++
			return []prometheus.Metric{prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(reads))}, failure
		}}.Register(registry)

		var scrapes sync.WaitGroup
		for range 10 {
			scrapes.Go(func() {
				if got := values(t, registry)["enlace_g[]"]; got != 1 {
					t.Errorf("gauge %v, want 1", got)
				}
			})
		}
		scrapes.Wait()

		failure = errors.New("no database")
		time.Sleep(sampleFresh)
		want := map[string]float64{"enlace_sample_failures_total[gs]": 1}
		// The failure counts from the scrape after the one that met it, for both are collected at once.
		values(t, registry)
		if got := values(t, registry); !maps.Equal(got, want) {
			t.Errorf("after a failure %v, want %v", got, want)
		}

		failure = nil
		time.Sleep(sampleFresh)
		want = map[string]float64{"enlace_sample_failures_total[gs]": 1, "enlace_g[]": 3}
		if got := values(t, registry); !maps.Equal(got, want) {
			t.Errorf("after its end %v, want %v", got, want)
		}
	})
}

func TestSample_givesUpWhatTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		Sample{Name: "gs", Gauges: []*prometheus.Desc{prometheus.NewDesc("enlace_g", "g", nil, nil)},
			Read: func(ctx context.Context) ([]prometheus.Metric, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}}.Register(registry)
		started := time.Now()
		values(t, registry)
		if took := time.Since(started); took != sampleTimeout {
			t.Errorf("took %s, want %s", took, sampleTimeout)
		}
	})
}
