package tracing

import (
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"github.com/enlace-iis/enlace/services/process"
)

func load(t *testing.T, environment map[string]string) Config {
	t.Helper()
	for name, value := range environment {
		t.Setenv(name, value)
	}
	cfg, err := process.Load[Config]()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestConfig_recordsATenthUnlessTold(t *testing.T) {
	cfg := load(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4317"})
	sampler, err := cfg.sampler()
	if err != nil {
		t.Fatal(err)
	}
	if got := sampler.Description(); !strings.HasPrefix(got, "ParentBased{root:TraceIDRatioBased{0.1}") {
		t.Errorf("sampler %s", got)
	}
}

func TestConfig_knowsTheSamplers(t *testing.T) {
	for name, want := range map[string]string{
		"always_on": "AlwaysOnSampler", "always_off": "AlwaysOffSampler", "traceidratio": "TraceIDRatioBased{0.5}",
		"parentbased_always_on": "ParentBased{root:AlwaysOnSampler", "parentbased_always_off": "ParentBased{root:AlwaysOffSampler",
		"parentbased_traceidratio": "ParentBased{root:TraceIDRatioBased{0.5}",
	} {
		cfg := load(t, map[string]string{"OTEL_TRACES_SAMPLER": name, "OTEL_TRACES_SAMPLER_ARG": "0.5"})
		sampler, err := cfg.sampler()
		if err != nil || !strings.HasPrefix(sampler.Description(), want) {
			t.Errorf("%s: %v, %v", name, sampler, err)
		}
	}
}

func TestConfig_refusals(t *testing.T) {
	good := Config{Endpoint: "https://collector:4317", Sampler: "always_on", SamplerRatio: 1}
	for _, tt := range []struct {
		name     string
		mentions string
		change   func(*Config)
	}{
		{"right", "", func(*Config) {}},
		{"off", "", func(c *Config) { *c = Config{} }},
		{"no scheme", "ENDPOINT", func(c *Config) { c.Endpoint = "collector:4317" }},
		{"another scheme", "ENDPOINT", func(c *Config) { c.Endpoint = "ftp://collector" }},
		{"unknown sampler", "SAMPLER", func(c *Config) { c.Sampler = "jaeger_remote" }},
		{"more than all", "SAMPLER_ARG", func(c *Config) { c.SamplerRatio = 1.1 }},
		{"less than none", "SAMPLER_ARG", func(c *Config) { c.SamplerRatio = -0.1 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := good
			tt.change(&cfg)
			err := cfg.Validate()
			if (err == nil) != (tt.mentions == "") || err != nil && !strings.Contains(err.Error(), tt.mentions) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestNil_tracesNothing(t *testing.T) {
	off, err := Start(t.Context(), "prueba", load(t, nil))
	if off != nil || err != nil {
		t.Fatalf("started %v, %v", off, err)
	}
	if off.ServerOptions() != nil || off.DialOptions() != nil || off.Tracer() != nil || off.Stop(t.Context()) != nil {
		t.Error("a part that is off does something")
	}
	SetRequestID(t.Context(), "r-1")
	ctx, span := Child(t.Context(), "nada")
	defer span.End()
	if span.IsRecording() || trace.SpanContextFromContext(ctx).IsValid() || Parent(ctx) != "" {
		t.Error("a span is made though nothing is traced")
	}
}
