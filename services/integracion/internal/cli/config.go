package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/enlace-iis/enlace/services/internal/rpc"
)

// Config is what an operator's commands read from the environment.
type Config struct {
	// IntegracionTarget is the gRPC target of integracion, where `sesion abrir` opens a
	// session; the commands that follow go there too.
	IntegracionTarget string `env:"INTEGRACION_TARGET" envDefault:"dns:///localhost:9092"`
	// SessionFile keeps an operator's session, readable by its owner alone. Empty:
	// enlace/sesion.json where the system keeps a user's settings.
	SessionFile string `env:"SESSION_FILE"`

	TLS    rpc.TLSConfig
	Client rpc.ClientConfig
}

// sessionFile is where the session is.
func (c *Config) sessionFile() (string, error) {
	if c.SessionFile != "" {
		return c.SessionFile, nil
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find a place for the session, or set SESSION_FILE: %w", err)
	}
	return filepath.Join(folder, "enlace", "sesion.json"), nil
}
