//go:build compose

package compose

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// An upgrade whose migration fails, one that is cut, one that succeeds and the way back, under a
// load that must not notice: at the scale that runs, and written down where compose finds it again.
func TestUpgrade_isNoOutage(t *testing.T) {
	i := newInstitucion(t, "LAB010101UP1")
	id := harness.ReporteID(2000)
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(id), harness.Fin) })
	one, two := set.versions[0], set.versions[1]

	l := startCarga(t, i)
	set.refusesMigration(t, two)
	l.account(t, "an upgrade whose migration fails")
	set.isCut(t, two)
	l.account(t, "an upgrade that is cut and taken back")

	for _, step := range []struct {
		what, from, to string
		args           []string
	}{
		{"upgrade", one, two, []string{"upgrade", "VERSION=" + two}},
		{"rollback", two, one, []string{"rollback"}},
	} {
		began := time.Now()
		output, err := set.make(step.args...)
		if err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		set.runs(t, step.to)
		l.account(t, fmt.Sprintf("%s in %s", step.what, time.Since(began).Round(time.Second)))
		values := set.dotenv(t)
		if values["VERSION"] != step.to || values["PREVIOUS_VERSION"] != step.from || values["REGISTROS_REPLICAS"] != "3" {
			t.Errorf("after the %s .env has %v", step.what, values)
		}
	}
	acknowledged := l.end()
	harness.Within(t, 3*time.Minute, "the match of every record that was acknowledged", func() bool {
		return len(untold(t, i, acknowledged)) == 0
	})
	pass("%d records acknowledged during all of it, each told", len(acknowledged))
	set.keepsWhatRuns(t)
}

// refusesMigration upgrades with a wrong password of an owner: nothing may change.
func (c *conjunto) refusesMigration(t *testing.T, version string) {
	t.Helper()
	url := filepath.Join(c.secretos, "url_registros_duenio")
	right, err := os.ReadFile(url)
	if err != nil {
		t.Fatal(err)
	}
	write(t, url, []byte("postgres://registros_duenio:equivocada@postgres:5432/registros"))
	defer write(t, url, right)
	before, environment := c.running(t), c.dotenv(t)
	_, err = c.make("upgrade", "VERSION="+version)
	if err == nil {
		t.Error("an upgrade whose migration failed ended well")
	}
	after := c.dotenv(t)
	if !slices.Equal(before, c.running(t)) || after["VERSION"] != environment["VERSION"] || after["PREVIOUS_VERSION"] != environment["PREVIOUS_VERSION"] {
		t.Error("an upgrade whose migration failed changed something")
	}
}

// isCut ends an upgrade, as a lost terminal does, once a replica of it runs; rollback takes back what it did.
func (c *conjunto) isCut(t *testing.T, version string) {
	t.Helper()
	upgrade := exec.CommandContext(t.Context(), "deploy/docker/enlace.sh", "upgrade", version)
	upgrade.Dir, upgrade.Env = c.root, c.environment
	upgrade.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := upgrade.Start()
	if err != nil {
		t.Fatal(err)
	}
	harness.Within(t, 10*time.Minute, "a replica of the new version", func() bool {
		healthy, err := c.docker(t.Context(), "ps", "--quiet", "--filter", "ancestor=enlace/gateway:"+version, "--filter", "health=healthy")
		return err == nil && len(healthy) > 0
	})
	err = errors.Join(syscall.Kill(-upgrade.Process.Pid, syscall.SIGKILL), upgrade.Wait())
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		t.Fatal(err)
	}
	_, err = c.make("rollback")
	if err != nil {
		t.Fatal(err)
	}
	c.runs(t, c.versions[0])
}

// runs fails unless all replicas, as many as were installed, are of the version.
func (c *conjunto) runs(t *testing.T, version string) {
	t.Helper()
	found := map[string]int{}
	for _, k := range c.contenedores(t) {
		if slices.Contains([]string{"registros", "integracion", "gateway"}, k.service()) {
			if k.Config.Image != "enlace/"+k.service()+":"+version {
				t.Errorf("a replica runs %s", k.Config.Image)
			}
			found[k.service()]++
		}
	}
	if found["registros"] != 3 || found["integracion"] != 2 || found["gateway"] != 2 {
		t.Errorf("it runs at the scale %v", found)
	}
}

// start brings the set up as .env has it.
func (c *conjunto) start(t *testing.T) {
	t.Helper()
	_, err := c.make("up")
	if err != nil {
		t.Fatal(err)
	}
}

// keepsWhatRuns repeats both ways of starting the set: neither replaces a replica.
func (c *conjunto) keepsWhatRuns(t *testing.T) {
	t.Helper()
	before := c.running(t)
	c.start(t)
	_, err := c.compose(t.Context(), "", "up", "--detach")
	if err != nil {
		t.Fatal(err)
	}
	if after := c.running(t); !slices.Equal(before, after) {
		t.Errorf("starting the set again changed its replicas from %v to %v", before, after)
	}
	_, err = c.make("up", "VERSION="+c.versions[1])
	if err == nil {
		t.Error("make up changes the version")
	}
}

// running are the containers that serve.
func (c *conjunto) running(t *testing.T) []string {
	t.Helper()
	var ids []string
	for _, k := range c.contenedores(t) {
		if slices.Contains([]string{"registros", "integracion", "gateway", "caddy", "postgres"}, k.service()) {
			ids = append(ids, k.service()+" "+k.ID[:12])
		}
	}
	slices.Sort(ids)
	return ids
}

func write(t *testing.T, file string, content []byte) {
	t.Helper()
	err := os.WriteFile(file, content, 0o644)
	if err != nil {
		t.Fatal(err)
	}
}
