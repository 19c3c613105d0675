package harness

// Traced are settings with which every program sends what it traces to an address at once, for
// what the sampler takes.
func Traced(address, sampler string) map[string]string {
	return map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://" + address,
		"OTEL_TRACES_SAMPLER":         sampler,
		"OTEL_BSP_SCHEDULE_DELAY":     "100", // milliseconds
	}
}
