package metrics

import (
	"bytes"
	"maps"
	"math"
	"net/http"
	"regexp"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// series is one line of a /metrics; the name of a histogram's ends in _bucket, _sum or
// _count.
type series struct {
	Name   string
	Labels map[string]string
	Value  float64
}

// numbers is what programs told at one moment.
type numbers []series

// scrape asks the operations ports of the named programs, or of all three.
func scrape(t *testing.T, programs ...string) numbers {
	t.Helper()
	if len(programs) == 0 {
		programs = []string{stack.Gateway, stack.Registros, stack.Integracion}
	}
	var all numbers
	for _, program := range programs {
		page := pageOf(t, program)
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(bytes.NewReader(page))
		if err != nil {
			t.Fatalf("%s: %v", program, err)
		}
		for _, family := range families {
			for _, metric := range family.GetMetric() {
				all = append(all, seriesOf(family, metric)...)
			}
		}
	}
	return all
}

func pageOf(t *testing.T, program string) []byte {
	t.Helper()
	return harness.Call(t, http.MethodGet, "http://"+system.Addresses().Ops[program]+"/metrics", nil, nil).Want(t, http.StatusOK).Body
}

func seriesOf(family *dto.MetricFamily, metric *dto.Metric) []series {
	labels := map[string]string{}
	for _, pair := range metric.GetLabel() {
		labels[pair.GetName()] = pair.GetValue()
	}
	name := family.GetName()
	histogram := metric.GetHistogram()
	if histogram == nil {
		value := metric.GetCounter().GetValue() + metric.GetGauge().GetValue() + metric.GetUntyped().GetValue()
		return []series{{Name: name, Labels: labels, Value: value}}
	}
	all := []series{
		{Name: name + "_count", Labels: labels, Value: float64(histogram.GetSampleCount())},
		{Name: name + "_sum", Labels: labels, Value: histogram.GetSampleSum()},
	}
	for _, bucket := range histogram.GetBucket() {
		bounded := maps.Clone(labels)
		bounded["le"] = model.FloatString(bucket.GetUpperBound()).String()
		all = append(all, series{Name: name + "_bucket", Labels: bounded, Value: float64(bucket.GetCumulativeCount())})
	}
	return all
}

var selector = regexp.MustCompile(`(\w+)="([^"]*)"`)

// total adds up the series with these labels, written as in PromQL: name{label="value"}.
func (n numbers) total(chosen string) float64 {
	value, _ := n.find(chosen)
	return value
}

// find tells too whether there is any.
func (n numbers) find(chosen string) (value float64, found bool) {
	name, _, _ := strings.Cut(chosen, "{")
	wanted := map[string]string{}
	for _, match := range selector.FindAllStringSubmatch(chosen, -1) {
		wanted[match[1]] = match[2]
	}
	for _, s := range n {
		if s.Name == name && contains(s.Labels, wanted) {
			value += s.Value
			found = true
		}
	}
	return value, found
}

func contains(labels, wanted map[string]string) bool {
	for name, value := range wanted {
		if labels[name] != value {
			return false
		}
	}
	return true
}

// wantGrown holds by how much each counter has grown since before.
func wantGrown(t *testing.T, before, after numbers, want map[string]float64) {
	t.Helper()
	for chosen, growth := range want {
		_, found := after.find(chosen)
		if got := after.total(chosen) - before.total(chosen); !found || math.Abs(got-growth) > 1e-9 {
			t.Errorf("%s grew by %v (found %t), want %v", chosen, got, found, growth)
		}
	}
}
