package app

// Config are the simulator's settings. The log level is process.Main's.
type Config struct {
	// HTTPAddr is where the platform's and the control routes listen.
	HTTPAddr string `env:"HTTP_ADDR" envDefault:":8090"`
	// OpsAddr is where metrics, probes and profiles listen; keep it private.
	OpsAddr string `env:"OPS_ADDR" envDefault:":9190"`
}
