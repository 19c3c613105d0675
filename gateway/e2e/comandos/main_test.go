//go:build linux

package comandos

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// system is what all tests run against.
var system *harness.System

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, nil, func(s *harness.System) { system = s }))
}

// consola is one operator's machine.
type consola struct {
	usuario, clave string
	home           string
}

// newConsola has an operator added, who has no session yet.
func newConsola(t *testing.T) *consola {
	t.Helper()
	c := &consola{usuario: "operadora-" + strings.ToLower(rand.Text()[:6]), home: t.TempDir()}
	var made struct{ Clave string }
	system.Operate(t, "", &made, "usuarios", "crear", "--usuario", c.usuario)
	c.clave = made.Clave
	return c
}

func (c *consola) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(system.BinDir, "integracion"), args...)
	cmd.Env = []string{"HOME=" + c.home, "TERM=xterm", "INTEGRACION_TARGET=dns:///" + system.Addresses().GRPCIntegracion}
	return cmd
}

// outcome is what a script sees of a command.
type outcome struct {
	status         int
	stdout, stderr string
}

// pipe does a command as a script does.
func (c *consola) pipe(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	cmd := c.command(t, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	exit, ended := errors.AsType[*exec.ExitError](err)
	if err != nil && !ended {
		t.Fatal(err)
	}
	o := outcome{stdout: stdout.String(), stderr: stderr.String()}
	if ended {
		o.status = exit.ExitCode()
	}
	return o
}

// open opens the operator's session.
func (c *consola) open(t *testing.T) {
	t.Helper()
	o := c.pipe(t, c.clave, "sesion", "abrir", "--usuario", c.usuario, "--clave-stdin")
	if o.status != 0 {
		t.Fatalf("open: %d %s", o.status, o.stderr)
	}
}
