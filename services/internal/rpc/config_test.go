package rpc

import (
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/process"
)

func TestConfig_readFromTheEnvironment(t *testing.T) {
	t.Setenv("TLS_CERT_FILE", "/certs/tls.crt")
	t.Setenv("GRPC_STOP_LIMIT", "7s")

	cfg, err := process.Load[struct {
		Server ServerConfig
		Client ClientConfig
	}]()

	if err != nil {
		t.Fatal(err)
	}
	if cfg.Server.StopLimit != 7*time.Second || cfg.Server.MaxConnectionAge != 30*time.Second || cfg.Client.Deadline != 15*time.Second {
		t.Errorf("%+v", cfg)
	}
	// A path stays a path: these files are read again when they change.
	if cfg.Server.TLS.CertFile != "/certs/tls.crt" || cfg.Client.TLS.CertFile != "/certs/tls.crt" {
		t.Errorf("%+v", cfg)
	}
}
