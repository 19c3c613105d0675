//go:build compose

package compose

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// own are the parts whose images are ours.
var own = []string{"registros-migrate", "integracion-migrate", "registros", "integracion", "gateway", "caddy", "simulador", "demo"}

// No container has a user with rights, a place of its image to write to, or more of the
// machine than its share; ours hold their program and nothing else that could run.
func TestContainers_areConfined(t *testing.T) {
	contenedores := set.contenedores(t)
	for _, k := range contenedores {
		user, _, _ := strings.Cut(k.Config.User, ":")
		if user == "" || user == "root" || user == "0" {
			t.Errorf("%s runs as root", k.service())
		}
		h := k.HostConfig
		if !h.ReadonlyRootfs || h.Privileged || !slices.Equal(h.CapDrop, []string{"ALL"}) || h.Memory == 0 || h.NanoCpus == 0 || h.PidsLimit <= 0 ||
			!slices.ContainsFunc(h.SecurityOpt, func(o string) bool { return strings.HasPrefix(o, "no-new-privileges") }) {
			t.Errorf("%s is not confined: %+v", k.service(), h)
		}
		if slices.Contains(own, k.service()) {
			onlyPrograms(t, k)
		}
	}
	pass("%d containers: none as root, none with a writable image; ours without a shell", len(contenedores))
}

// onlyPrograms reads the container's image and finds nothing to execute but our programs.
func onlyPrograms(t *testing.T, k contenedor) {
	t.Helper()
	export := exec.CommandContext(t.Context(), "docker", "export", k.ID)
	stdout, err := export.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = export.Start()
	if err != nil {
		t.Fatal(err)
	}
	programs, files := 0, tar.NewReader(stdout)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		// The engine leaves an empty file where it mounts one.
		if header.Typeflag != tar.TypeReg || header.Mode&0o111 == 0 || header.Size == 0 {
			continue
		}
		programs++
		if !slices.Contains([]string{"registros", "integracion", "gateway", "caddy", "simulador", "demo"}, header.Name) {
			t.Errorf("%s holds the program /%s", k.service(), header.Name)
		}
	}
	_, err = io.Copy(io.Discard, stdout)
	if err != nil {
		t.Fatal(err)
	}
	err = export.Wait()
	if err != nil || programs == 0 {
		t.Errorf("%s: %d programs found, %v", k.service(), programs, err)
	}
}

// What the engine tells about a container has no secret in it, and neither have the logs.
func TestSecrets_stayInTheirFiles(t *testing.T) {
	logs, err := set.compose(t.Context(), "", "logs", "--no-color")
	if err != nil {
		t.Fatal(err)
	}
	secrets, contenedores := set.secrets(t), set.contenedores(t)
	for name, secret := range secrets {
		if strings.Contains(string(logs), secret) {
			t.Errorf("the logs tell %s", name)
		}
		for _, k := range contenedores {
			if strings.Contains(k.raw, secret) {
				t.Errorf("inspect of %s tells %s", k.service(), name)
			}
		}
	}
	pass("%d secrets: none in inspect, none in the logs", len(secrets))
}

// secrets reads the files of the run, and the credentials that the demonstration made.
func (c *conjunto) secrets(t *testing.T) map[string]string {
	t.Helper()
	files, err := os.ReadDir(c.secretos)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(c.secretos, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[file.Name()] = string(content)
	}
	for key, value := range c.credenciales(t) {
		if strings.Contains(key, "CLAVE") || strings.Contains(key, "KEY") || strings.Contains(key, "SECRETO") {
			all[key] = value
		}
	}
	return all
}

// Only the public port is published to other machines, and only integracion has a way out, beside what gets the
// public port's certificate.
func TestNetworks_keepEachPartInItsPlace(t *testing.T) {
	var outward []string
	for _, k := range set.contenedores(t) {
		for port, bindings := range k.HostConfig.PortBindings {
			for _, b := range bindings {
				if b.HostIP != "127.0.0.1" && !(k.service() == "caddy" && port == "8443/tcp") {
					t.Errorf("%s publishes %s at %q", k.service(), port, b.HostIP)
				}
			}
		}
		for network := range k.NetworkSettings.Networks {
			if !slices.Contains(outward, k.service()) && leadsOut(t, network) {
				outward = append(outward, k.service())
			}
		}
	}
	slices.Sort(outward)
	if !slices.Equal(outward, []string{"caddy", "integracion"}) {
		t.Errorf("%v have a way out", outward)
	}
	pass("networks: only integracion and caddy have a way out, only the port with TLS is published")
}

// leadsOut tells whether the engine forwards what leaves the network, under an address that
// answers find back to.
func leadsOut(t *testing.T, network string) bool {
	t.Helper()
	raw, err := set.docker(t.Context(), "network", "inspect", network)
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Internal bool
		Options  map[string]string
	}
	err = json.Unmarshal(raw, &all)
	if err != nil || len(all) != 1 {
		t.Fatalf("inspect network %s: %v", network, err)
	}
	return !all[0].Internal && all[0].Options["com.docker.network.bridge.enable_ip_masquerade"] != "false"
}
