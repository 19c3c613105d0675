//go:build compose

package compose

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/envfile"
	"github.com/enlace-iis/enlace/deploy/local/port"
)

// conjunto is the docker-compose set of this run.
type conjunto struct {
	root    string // of the copy of the checkout that the run works in, as an operator does
	project string
	// versions are the images' tags: the installed one, and that of the upgrade.
	versions [2]string
	secretos string
	// The addresses for this machine; secureURL is the public one.
	baseURL, secureURL, simuladorURL, prometheusURL string

	environment []string
}

// name is always the same, so that what a killed run left is found, and what was built is kept.
const name = "enlace-check"

// newConjunto copies the checkout and writes what an operator would write into its .env.
func newConjunto(repository, folder string) (*conjunto, error) {
	c := &conjunto{root: filepath.Join(folder, "enlace"), project: name, secretos: filepath.Join(folder, "enlace/aparte/secretos")}
	for n := range c.versions {
		c.versions[n] = name + "-" + strconv.Itoa(n+1)
	}
	settings := map[string]string{
		"COMPOSE_PROJECT_NAME": name, "COMPOSE_FILE": "docker-compose.yml:deploy/docker/demo.yml", "REGISTROS_REPLICAS": "3",
		// Folders that are not there yet.
		"SECRETOS_DIR": "aparte/secretos", "BACKUP_DIR": filepath.Join(folder, "respaldos"),
	}
	for key, url := range map[string]*string{
		"HTTP_PORT": &c.baseURL, "HTTPS_PORT": &c.secureURL, "SIMULADOR_PORT": &c.simuladorURL, "PROMETHEUS_PORT": &c.prometheusURL,
	} {
		number, err := port.Free()
		if err != nil {
			return nil, err
		}
		settings[key] = strconv.Itoa(number)
		*url = "http://" + port.Address(number)
		if key == "HTTPS_PORT" {
			*url = "https://localhost:" + settings[key]
		}
	}
	// The set's own defaults are what is looked at, not what this shell happens to have.
	c.environment = append(slices.DeleteFunc(os.Environ(), func(entry string) bool {
		key, _, _ := strings.Cut(entry, "=")
		return !slices.Contains([]string{"PATH", "HOME", "DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT"}, key)
	}), "DOCKER_BUILDKIT=1") // for engines where it is a choice
	return c, errors.Join(c.copyOf(repository), c.writeDotenv(settings))
}

func (c *conjunto) writeDotenv(settings map[string]string) error {
	var content strings.Builder
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&content, "%s=%s\n", key, settings[key])
	}
	return os.WriteFile(filepath.Join(c.root, ".env"), []byte(content.String()), 0o600)
}

func (c *conjunto) dotenv(t *testing.T) map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(c.root, ".env"))
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for line := range strings.Lines(string(content)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		settings[key] = value
	}
	return settings
}

// note writes a setting, as an operator does.
func (c *conjunto) note(t *testing.T, key, value string) {
	t.Helper()
	settings := c.dotenv(t)
	settings[key] = value
	err := c.writeDotenv(settings)
	if err != nil {
		t.Fatal(err)
	}
}

// copyOf takes what git would: an operator's checkout has none of a developer's files.
func (c *conjunto) copyOf(repository string) error {
	err := os.MkdirAll(c.root, 0o700)
	if err != nil {
		return err
	}
	_, err = c.output(exec.Command("bash", "-c", `set -o pipefail; git -C "$0" ls-files -z --cached --others --exclude-standard |
		tar -C "$0" --null --files-from - --ignore-failed-read -cf - | tar -C "$1" -xf -`, repository, c.root))
	return err
}

// up installs the set as docs/operations.md says, and waits until the one-shot of the
// demonstration has ended well.
func (c *conjunto) up() error {
	err := c.down()
	if err != nil {
		return err
	}
	// caddy's image outlives a run, and may be of another tree.
	_, err = c.installing().compose(context.Background(), "", "build", "caddy")
	if err != nil {
		return err
	}
	_, err = c.make("up", "VERSION="+c.versions[0])
	if err != nil {
		return err
	}
	_, err = c.compose(context.Background(), "", "up", "--build", "--detach", "demo", "prometheus")
	if err != nil {
		return err
	}
	code, err := c.docker(context.Background(), "wait", c.project+"-demo-1")
	if err != nil || strings.TrimSpace(string(code)) != "0" {
		return fmt.Errorf("the demonstration ended with %s: %w", code, err)
	}
	return nil
}

// down removes all that the run made: containers, networks, volumes and images.
func (c *conjunto) down() error {
	_, err := c.installing().compose(context.Background(), "", "--profile", "*", "down", "--volumes", "--remove-orphans")
	if err != nil {
		return err
	}
	images, err := c.docker(context.Background(), "image", "ls", "--quiet", "--filter", "reference=enlace/*:"+c.project+"-*")
	if err != nil || len(images) == 0 {
		return err
	}
	_, err = c.docker(context.Background(), append([]string{"image", "rm", "--force"}, strings.Fields(string(images))...)...)
	return err
}

// installing is the set before .env says its version.
func (c *conjunto) installing() *conjunto {
	without := *c
	without.environment = append(slices.Clone(c.environment), "VERSION="+c.versions[0])
	return &without
}

// make makes a target, as an operator does.
func (c *conjunto) make(args ...string) ([]byte, error) {
	command := exec.Command("make", append([]string{"--silent"}, args...)...)
	command.Dir = c.root
	return c.output(command)
}

// compose runs a command of docker compose on the set.
func (c *conjunto) compose(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "docker", append([]string{"compose"}, args...)...)
	command.Dir = c.root
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
		return output, fmt.Errorf("%v: %w\n%s", command.Args, err, problems.Bytes())
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

// openSesion has the demonstration's operator open one, for it ends with the container that it is kept in.
func (c *conjunto) openSesion(t *testing.T) {
	t.Helper()
	operador := c.credenciales(t)
	c.operate(t, operador["OPERADOR_CLAVE"], nil, "sesion", "abrir", "--usuario", operador["OPERADOR_USUARIO"], "--clave-stdin")
}

// credenciales reads what the one-shot of the demonstration left.
func (c *conjunto) credenciales(t *testing.T) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "demo.env")
	_, err := c.docker(t.Context(), "cp", c.project+"-demo-1:/credenciales/demo.env", file)
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
		Image  string
		Labels map[string]string
	}
	HostConfig struct {
		ReadonlyRootfs bool
		CapDrop        []string
		SecurityOpt    []string
		Privileged     bool
		Memory         int64
		NanoCpus       int64
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
