package app

import (
	"testing"

	"github.com/enlace-iis/enlace/proto/opciones"
	"github.com/enlace-iis/enlace/services/process"
)

// Outside of development nobody learns which build runs.
func TestConfig_shownVersion(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{
		"development": process.Version(), "production": opciones.VersionContrato, "pruebas": opciones.VersionContrato,
	} {
		var cfg Config
		cfg.AppEnv = env
		if got := cfg.shownVersion(); got != want {
			t.Errorf("%s: got %s, want %s", env, got, want)
		}
	}
}
