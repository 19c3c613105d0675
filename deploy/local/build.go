package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/enlace-iis/enlace/deploy/local/child"
	"github.com/enlace-iis/enlace/deploy/local/stack"
)

// modules says which binaries are built from which module. Building inside the module works with and without go.work.
var modules = []struct {
	dir      string
	packages []string
}{
	{"services", []string{"./" + stack.Registros, "./" + stack.Integracion, "./" + stack.Simulador}},
	{"gateway", []string{"."}},
}

// build puts the four binaries into binDir.
func build(ctx context.Context, root, binDir string, tell func(string)) error {
	goTool, err := exec.LookPath("go")
	if err != nil {
		return fmt.Errorf("find go: %w", err)
	}
	err = os.MkdirAll(binDir, 0o755) //nolint:gosec // programs, no secrets
	if err != nil {
		return fmt.Errorf("make folder for binaries: %w", err)
	}
	for _, module := range modules {
		tell("compila " + module.dir + " (" + strings.Join(module.packages, " ") + ")")
		// The slash tells go that the target is a folder, also for the one package that it would else name freely.
		// Without the stamp of the commit, which git refuses to tell about somebody else's checkout.
		args := []string{"build", "-C", filepath.Join(root, module.dir), "-buildvcs=false", "-o", binDir + string(filepath.Separator)}
		err = runToEnd(ctx, child.Spec{
			Name: "go build", Path: goTool, Args: append(args, module.packages...), Env: os.Environ(), Output: os.Stderr,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// runToEnd runs a program whose output people read as it comes.
func runToEnd(ctx context.Context, spec child.Spec) error {
	process, err := child.Start(spec)
	if err != nil {
		return err
	}
	select {
	case <-process.Done():
	case <-ctx.Done():
		return process.Kill()
	}
	if process.Err() != nil {
		return fmt.Errorf("run %s: %w", spec.Name, process.Err())
	}
	return nil
}
