package harness

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// BuildShared builds the programs with [Flags] and gives their folder. All suites of a checkout
// share it, so that only the first one links.
func BuildShared() (string, error) {
	root, err := Repository()
	if err != nil {
		return "", err
	}
	binDir := filepath.Join(root, ".local", sharedFolder)
	return binDir, BuildTree(root, binDir, Flags...)
}

// Build builds the four programs into binDir, with the flags of go build.
func Build(binDir string, flags ...string) error {
	root, err := Repository()
	if err != nil {
		return err
	}
	return BuildTree(root, binDir, flags...)
}

// BuildTree builds the four programs of any checkout of the repository, one suite at a time in
// a folder; what is current already stays as it is.
func BuildTree(root, binDir string, flags ...string) error {
	err := os.MkdirAll(binDir, 0o755) //nolint:gosec // PostgreSQL's account has to get through its parent
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	folder, err := os.Open(binDir)
	if err != nil {
		return fmt.Errorf("lock folder: %w", err)
	}
	defer func() { _ = folder.Close() }() // the lock ends with it
	err = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX)
	if err != nil {
		return fmt.Errorf("lock folder: %w", err)
	}
	return errors.Join(
		buildModule(filepath.Join(root, "services"), binDir, flags, "./registros", "./integracion", "./simulador"),
		buildModule(filepath.Join(root, "gateway"), binDir, flags, "."),
	)
}

func buildModule(module, binDir string, flags []string, packages ...string) error {
	args := append([]string{"build", "-o", binDir + "/"}, flags...)
	build := exec.Command("go", append(args, packages...)...) //nolint:gosec // our own packages
	build.Dir = module
	build.Env = append(os.Environ(), "GOWORK=off")
	output, err := build.CombinedOutput()
	if err != nil {
		return fmt.Errorf("build %s: %w\n%s", module, err, output)
	}
	return nil
}
