package tracing

import (
	"errors"
	"fmt"
	"net/url"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Config is how a program traces, by the variables that OpenTelemetry gave their names. Its
// others, such as OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_CERTIFICATE, OTEL_BSP_*
// and OTEL_RESOURCE_ATTRIBUTES, its library reads by itself.
type Config struct {
	// Endpoint is the collector that takes traces by OTLP over gRPC,
	// "http://collector:4317"; https speaks TLS. Empty: nothing is traced.
	Endpoint string `env:"OTEL_EXPORTER_OTLP_ENDPOINT"`
	// Sampler decides which traces are recorded, by OpenTelemetry's own names. Those that
	// begin with parentbased_ record what the caller records; without them traces have gaps.
	Sampler string `env:"OTEL_TRACES_SAMPLER" envDefault:"parentbased_traceidratio"`
	// SamplerRatio is the share of traces that the samplers with traceidratio record, 0 to 1.
	SamplerRatio float64 `env:"OTEL_TRACES_SAMPLER_ARG" envDefault:"0.1"`
}

// Validate implements [process.Validator]. The struct of the program calls it.
func (c Config) Validate() error {
	if c.Endpoint == "" {
		return nil
	}
	return errors.Join(c.validateEndpoint(), c.validateSampler())
}

func (c Config) validateEndpoint() error {
	parsed, err := url.Parse(c.Endpoint)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return errors.New("OTEL_EXPORTER_OTLP_ENDPOINT looks like http://collector:4317")
	}
	return nil
}

func (c Config) validateSampler() error {
	if c.SamplerRatio < 0 || c.SamplerRatio > 1 {
		return errors.New("OTEL_TRACES_SAMPLER_ARG is from 0 to 1")
	}
	_, err := c.sampler()
	return err
}

// sampler is what the SDK would make of the same names, but it falls back to recording
// everything where it does not know one.
func (c Config) sampler() (sdktrace.Sampler, error) {
	ratio := sdktrace.TraceIDRatioBased(c.SamplerRatio)
	switch c.Sampler {
	case "always_on":
		return sdktrace.AlwaysSample(), nil
	case "always_off":
		return sdktrace.NeverSample(), nil
	case "traceidratio":
		return ratio, nil
	case "parentbased_always_on":
		return sdktrace.ParentBased(sdktrace.AlwaysSample()), nil
	case "parentbased_always_off":
		return sdktrace.ParentBased(sdktrace.NeverSample()), nil
	case "parentbased_traceidratio":
		return sdktrace.ParentBased(ratio), nil
	default:
		return nil, fmt.Errorf("OTEL_TRACES_SAMPLER %q is none of OpenTelemetry's", c.Sampler)
	}
}
