package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/caarlos0/env/v11"
)

// settings are what the launcher reads from the environment. Every other variable goes on to the processes that it
// starts.
type settings struct {
	// HTTPPort is the gateway's port on 127.0.0.1; 0 takes a free one.
	HTTPPort uint16 `env:"HTTP_PORT" envDefault:"8080"`
	// LocalDir holds data, logs, binaries and secrets; empty means .local in the repository.
	LocalDir string `env:"LOCAL_DIR"`
	// DatabaseURLRegistros and DatabaseURLIntegracion, both or neither, take the place of the private PostgreSQL.
	DatabaseURLRegistros   string `env:"DATABASE_URL_REGISTROS"`
	DatabaseURLIntegracion string `env:"DATABASE_URL_INTEGRACION"`
	// PuiBaseURL and PuiSalidaClave, both or neither, take the place of the bundled simulator for what is sent.
	PuiBaseURL     string `env:"PUI_BASE_URL"`
	PuiSalidaClave string `env:"PUI_SALIDA_CLAVE"`
	// AppEnv and DocsEnabled only decide here whether the guide names the documentation.
	AppEnv      string `env:"APP_ENV" envDefault:"development"`
	DocsEnabled bool   `env:"DOCS_ENABLED"`
	// ConsolaEnabled only decides here whether the guide names the console.
	ConsolaEnabled bool `env:"CONSOLA_ENABLED" envDefault:"true"`
	// RootPath is the public prefix, in front of the paths in the guide.
	RootPath string `env:"ROOT_PATH"`
}

func loadSettings(root string) (settings, error) {
	s, err := env.ParseAs[settings]()
	if err != nil {
		return settings{}, fmt.Errorf("read settings: %w", err)
	}
	if (s.PuiBaseURL == "") != (s.PuiSalidaClave == "") {
		return settings{}, errors.New("PUI_BASE_URL y PUI_SALIDA_CLAVE van juntas: defina las dos o ninguna")
	}
	if s.LocalDir == "" {
		s.LocalDir = filepath.Join(root, ".local")
	}
	s.LocalDir, err = filepath.Abs(s.LocalDir)
	if err != nil {
		return settings{}, fmt.Errorf("resolve LOCAL_DIR: %w", err)
	}
	return s, nil
}

func (s settings) path(names ...string) string {
	return filepath.Join(append([]string{s.LocalDir}, names...)...)
}

// findRoot returns the repository's folder: the nearest one upwards that has a go.work.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find repository: %w", err)
	}
	for {
		_, err = os.Stat(filepath.Join(dir, "go.work"))
		if err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("find repository: no go.work here or above")
		}
		dir = parent
	}
}
