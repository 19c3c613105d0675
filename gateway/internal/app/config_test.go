package app

import (
	"strings"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/process"
)

func load(t *testing.T, environment ...string) (Config, error) {
	t.Helper()
	t.Setenv("GATEWAY_SECRET", "gateway-secret-of-tests-only-32-bytes")
	for i := 0; i < len(environment); i += 2 {
		t.Setenv(environment[i], environment[i+1])
	}
	return process.Load[Config]()
}

func TestConfig_defaultsAreEnough(t *testing.T) {
	// As docker-compose.yml has it where nothing stands in front.
	cfg, err := load(t, "TRUSTED_PROXIES", "")
	if err != nil {
		t.Fatal(err)
	}
	if cfg.HTTPAddr != ":8080" || cfg.OpsAddr != ":9180" || cfg.Edge.Timeout != 15*time.Second || cfg.AppEnv != "production" ||
		len(cfg.Edge.TrustedProxies) != 0 || cfg.RegistrosTarget != "dns:///localhost:9091" || cfg.IntegracionTarget != "dns:///localhost:9092" {
		t.Errorf("got %+v", cfg)
	}
}

func TestConfig_refusals(t *testing.T) {
	tests := []struct{ name, value, mentions string }{
		{"ROOT_PATH", "enlace", "ROOT_PATH"},
		{"ROOT_PATH", "/enlace/", "ROOT_PATH"},
		{"ROOT_PATH", "/", "ROOT_PATH"},
		{"ROOT_PATH", "/a/../b", "ROOT_PATH"},
		{"ROOT_PATH", "/a b", "ROOT_PATH"},
		{"PUBLIC_URL", "enlace.example", "PUBLIC_URL"},
		{"PUBLIC_URL", "https://enlace.example/", "PUBLIC_URL"},
		{"PUBLIC_URL", "https://enlace.example/api", "PUBLIC_URL"},
		{"CORS_ORIGINS", "*", "CORS_ORIGINS"},
		{"CORS_ORIGINS", "https://a.example,*", "CORS_ORIGINS"},
		{"TRUSTED_PROXIES", "nadie", "TRUSTED_PROXIES"},
		{"RATE_LIMIT", "-1", "RATE_LIMIT"},
		{"TIMEOUT", "0s", "TIMEOUT"},
		{"TIMEOUT_BATCH", "-1s", "TIMEOUT"},
		{"EMPRESA_MAX_BATCHES", "0", "EMPRESA_MAX_BATCHES"},
		{"EMPRESA_MAX_BATCH_BYTES", "16777215", "EMPRESA_MAX_BATCH_BYTES"},
		{"MAX_BODY_BYTES", "33554431", "MAX_BODY_BYTES"},
		{"MAX_LISTS", "0", "MAX_LISTS"},
		{"TLS_CERT_FILE", "/a", "TLS_KEY_FILE"},
		{"TLS_CLIENT_KEY_FILE", "/a", "TLS_CLIENT_CERT_FILE"},
		{"GATEWAY_SECRET", "", "GATEWAY_SECRET"},
	}
	for _, tt := range tests {
		t.Run(tt.name+"="+tt.value, func(t *testing.T) {
			_, err := load(t, tt.name, tt.value)
			if err == nil || !strings.Contains(strings.ToUpper(err.Error()), tt.mentions) &&
				!strings.Contains(err.Error(), "TrustedProxies") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestConfig_tellsAllThatIsWrongAtOnce(t *testing.T) {
	_, err := load(t, "ROOT_PATH", "x", "PUBLIC_URL", "y", "CORS_ORIGINS", "*")
	for _, name := range []string{"ROOT_PATH", "PUBLIC_URL", "CORS_ORIGINS"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is missing in %v", name, err)
		}
	}
}
