// Command demo makes the two demo institutions of the docker-compose set (`make demo`), shows one match, and leaves
// in a folder what a person needs to go on. It runs once, inside the set, beside the operator's program; it may run
// again, and keeps what still works.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/caarlos0/env/v11"

	"github.com/enlace-iis/enlace/deploy/local/demo"
	"github.com/enlace-iis/enlace/deploy/local/envfile"
)

// settings come from docker-compose.yml; the operator's program has its own beside them.
type settings struct {
	// BaseURL and SimuladorURL are where the gateway and the simulator are for the containers of the set.
	BaseURL      string `env:"BASE_URL,required"`
	SimuladorURL string `env:"SIMULADOR_URL,required"`
	// BaseURLPublica and SimuladorURLPublica are where they are for the machine that runs the set.
	BaseURLPublica      string `env:"BASE_URL_PUBLICA,required"`
	SimuladorURLPublica string `env:"SIMULADOR_URL_PUBLICA,required"`
	// Dir takes demo.env, and what later runs need of this one.
	Dir string `env:"CREDENCIALES_DIR" envDefault:"/credenciales"`
	// Operador is the program with the operator's commands.
	Operador string `env:"OPERADOR_PROGRAMA" envDefault:"/integracion"`
}

// limit is far above what a slow machine takes.
const limit = 5 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, limit)
	err := run(ctx)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	s, err := env.ParseAs[settings]()
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	secrets, err := envfile.Open(filepath.Join(s.Dir, "secretos.env"))
	if err != nil {
		return err
	}
	d, err := demo.Prepare(ctx, demo.System{
		BaseURL: s.BaseURL, SimuladorURL: s.SimuladorURL, Operator: s.operate, Secrets: secrets,
	}, demo.Plataforma{})
	if err != nil {
		return err
	}
	_, err = d.SendMuestra(ctx)
	if err != nil {
		return err
	}
	_, err = d.FindMuestra(ctx)
	if err != nil {
		return err
	}
	return s.handOver(d)
}

// operate runs an operator's command with this container's settings. What it says of a failure goes to the log.
func (s settings) operate(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, s.Operador, args...) //nolint:gosec // the image's own program
	command.Stdin = strings.NewReader(stdin)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", strings.Join(args[:min(2, len(args))], " "), err)
	}
	return output, nil
}

// handOver writes the credentials where only a person with the engine's rights can fetch them; a log is no place for them.
func (s settings) handOver(d *demo.Demo) error {
	err := envfile.Write(filepath.Join(s.Dir, "demo.env"), append([]envfile.Entry{
		{Key: "BASE_URL", Value: s.BaseURLPublica},
		{Key: "SIMULADOR_URL", Value: s.SimuladorURLPublica},
	}, d.Entries()...))
	if err != nil {
		return err
	}
	fmt.Print(guide)
	return nil
}

const guide = `
Dos instituciones están listas, y la plataforma simulada ya fue avisada de una coincidencia. Pruebe:

  docker cp enlace-demo-demo-1:/credenciales/demo.env . && . ./demo.env
  curl -sS "$BASE_URL/cliente/coincidencias" -H "X-API-Key: $API_KEY_1"
  curl -sS "$SIMULADOR_URL/control/recibidos?institucion_id=$ID_EMPRESA_1"

`
