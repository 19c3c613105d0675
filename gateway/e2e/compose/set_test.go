//go:build compose

package compose

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/envfile"
	"github.com/enlace-iis/enlace/deploy/local/port"
)

// conjunto is the docker-compose set of this run.
type conjunto struct {
	root     string // of the checkout
	folder   string // of this run
	project  string
	version  string // the images' tag
	secretos string
	// The addresses for this machine.
	baseURL, simuladorURL, prometheusURL string

	environment []string
}

// newConjunto chooses a name, free ports and secrets.
func newConjunto(root, folder string) (*conjunto, error) {
	name := "enlace-check-" + strconv.Itoa(os.Getpid())
	c := &conjunto{root: root, folder: folder, project: name, version: name, secretos: filepath.Join(folder, "secretos")}
	settings := map[string]string{
		"SECRETOS_DIR": c.secretos, "VERSION": c.version, "COMPOSE_PROFILES": "demo,observabilidad",
		// The set's own defaults are what is looked at.
		"PUI_HTTP": "true", "PUBLIC_URL": "", "ROOT_PATH": "", "APP_ENV": "", "DOCS_ENABLED": "", "CONSOLA_ENABLED": "", "DATABASE_MAX_CONNS": "",
	}
	for key, url := range map[string]*string{
		"HTTP_PORT": &c.baseURL, "SIMULADOR_PORT": &c.simuladorURL, "PROMETHEUS_PORT": &c.prometheusURL, "GRAFANA_PORT": new(string),
	} {
		number, err := port.Free()
		if err != nil {
			return nil, err
		}
		settings[key] = strconv.Itoa(number)
		*url = "http://" + port.Address(number)
	}
	c.environment = os.Environ()
	for key, value := range settings {
		c.environment = append(c.environment, key+"="+value)
	}
	err := os.Mkdir(c.secretos, 0o700)
	if err != nil {
		return nil, err
	}
	_, err = c.output(exec.Command(filepath.Join(root, "deploy/docker/secretos.sh"), c.secretos))
	return c, err
}

// up builds the images and starts everything, replicas included, and waits until the one-shot
// of the demonstration has ended well.
func (c *conjunto) up() error {
	for _, step := range [][]string{
		{"build"},
		{"up", "--detach", "--scale", "registros=3", "--scale", "integracion=2", "demo", "prometheus"},
		{"wait", "demo"},
	} {
		_, err := c.compose(context.Background(), "", step...)
		if err != nil {
			return err
		}
	}
	return nil
}

// down removes all that the run made: containers, networks, volumes and images.
func (c *conjunto) down() error {
	_, err := c.compose(context.Background(), "", "down", "--volumes", "--remove-orphans")
	if err != nil {
		return err
	}
	var images []string
	for _, name := range []string{"registros", "integracion", "gateway", "simulador", "demo"} {
		images = append(images, "enlace/"+name+":"+c.version)
	}
	_, err = c.docker(context.Background(), append([]string{"image", "rm", "--force"}, images...)...)
	return err
}

// compose runs a command of docker compose on the set.
func (c *conjunto) compose(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	base := []string{"compose", "--project-name", c.project, "--file", filepath.Join(c.root, "docker-compose.yml")}
	command := exec.CommandContext(ctx, "docker", append(base, args...)...)
	command.Stdin = strings.NewReader(stdin)
	return c.output(command)
}

func (c *conjunto) docker(ctx context.Context, args ...string) ([]byte, error) {
	return c.output(exec.CommandContext(ctx, "docker", args...))
}

func (c *conjunto) output(command *exec.Cmd) ([]byte, error) {
	command.Env = c.environment
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", command.Args, err, problems.Bytes())
	}
	return output, nil
}

// operate runs an operator's command in one of the replicas of integracion.
func (c *conjunto) operate(t *testing.T, stdin string, target any, args ...string) {
	t.Helper()
	exec := append([]string{"exec", "--no-TTY", "integracion", "/integracion"}, args...)
	output, err := c.compose(t.Context(), stdin, exec...)
	if err != nil {
		t.Fatal(err)
	}
	if target == nil {
		return
	}
	err = json.Unmarshal(output, target)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
}

// credenciales reads what the one-shot of the demonstration left.
func (c *conjunto) credenciales(t *testing.T) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "demo.env")
	_, err := c.compose(t.Context(), "", "cp", "demo:/credenciales/demo.env", file)
	if err != nil {
		t.Fatal(err)
	}
	values, err := envfile.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// contenedor is what the engine knows of a container.
type contenedor struct {
	ID     string `json:"Id"`
	Config struct {
		User   string
		Labels map[string]string
	}
	HostConfig struct {
		ReadonlyRootfs bool
		CapDrop        []string
		SecurityOpt    []string
		Privileged     bool
		Memory         int64
		PidsLimit      int64
		PortBindings   map[string][]struct{ HostIP, HostPort string }
	}
	NetworkSettings struct {
		Networks map[string]any
	}

	raw string
}

// service is the container's name in docker-compose.yml.
func (k contenedor) service() string { return k.Config.Labels["com.docker.compose.service"] }

// contenedores lists all containers of the set, the ended ones too.
func (c *conjunto) contenedores(t *testing.T) []contenedor {
	t.Helper()
	output, err := c.docker(t.Context(), "ps", "--all", "--quiet", "--filter", "label=com.docker.compose.project="+c.project)
	if err != nil {
		t.Fatal(err)
	}
	var all []contenedor
	for _, id := range strings.Fields(string(output)) {
		raw, err := c.docker(t.Context(), "inspect", id)
		if err != nil {
			t.Fatal(err)
		}
		var one []contenedor
		err = json.Unmarshal(raw, &one)
		if err != nil || len(one) != 1 {
			t.Fatalf("inspect %s: %v", id, err)
		}
		one[0].raw = string(raw)
		all = append(all, one[0])
	}
	return all
}
