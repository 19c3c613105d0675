package harness

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/child"
)

// A Node is a folder in which programs for Node run.
type Node struct {
	dir string
}

// NewNode copies the programs of a folder, with its package.json and package-lock.json, to one
// of the test, and gives them the packages of the lock. These are installed once for every
// lock, in .local/npm. No Node, or one that is too old, fails the test.
func NewNode(tb testing.TB, programs string) *Node {
	tb.Helper()
	wantNode(tb)
	n := &Node{dir: tb.TempDir()}
	err := os.CopyFS(n.dir, os.DirFS(programs))
	if err != nil {
		tb.Fatal(err)
	}
	modules, err := nodeModules(tb, programs)
	if err != nil {
		tb.Fatal(err)
	}
	err = os.Symlink(modules, filepath.Join(n.dir, "node_modules"))
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// Run runs a program in the folder, with env beside the environment of the test, and gives
// what it prints. name is found on the PATH, or in the folder when it has a slash.
func (n *Node) Run(tb testing.TB, env []string, name string, args ...string) []byte {
	tb.Helper()
	program := exec.CommandContext(tb.Context(), name, args...) //nolint:gosec // programs that the suites name
	program.Dir = n.dir
	program.Env = append(os.Environ(), env...)
	var told strings.Builder
	program.Stderr = &told
	output, err := program.Output()
	if err != nil {
		tb.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, output, told.String())
	}
	return output
}

// Start starts a program of the folder that runs until the test ends, with env beside the
// environment of the test. What it says goes into the folder's log.
func (n *Node) Start(tb testing.TB, env []string, program string) {
	tb.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		tb.Fatal(err)
	}
	log, err := os.Create(filepath.Join(n.dir, program+".log"))
	if err != nil {
		tb.Fatal(err)
	}
	started, err := child.Start(child.Spec{
		Name: program, Path: node, Args: []string{program}, Dir: n.dir, Env: append(os.Environ(), env...), Output: log,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		err := errors.Join(started.Stop(context.Background(), Limit), log.Close())
		if err != nil {
			tb.Error(err)
		}
	})
}

// oldestNode is the oldest Node, by its first number, on which the packages run.
const oldestNode = 20

func wantNode(tb testing.TB) {
	tb.Helper()
	const remedy = "this test needs Node %d or later with npm; install them from https://nodejs.org or your system's packages (%v)"
	_, noNpm := exec.LookPath("npm")
	version, noNode := exec.CommandContext(tb.Context(), "node", "--version").Output()
	if err := errors.Join(noNode, noNpm); err != nil {
		tb.Fatalf(remedy, oldestNode, err)
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), ".")
	number, err := strconv.Atoi(major)
	if err != nil || number < oldestNode {
		tb.Fatalf(remedy, oldestNode, "found "+strings.TrimSpace(string(version)))
	}
}

// nodeModules installs the packages of a folder's lock, unless that was done before.
func nodeModules(tb testing.TB, programs string) (string, error) {
	root, err := Repository()
	if err != nil {
		return "", err
	}
	lock, err := os.ReadFile(filepath.Join(programs, "package-lock.json"))
	if err != nil {
		return "", fmt.Errorf("read lock: %w", err)
	}
	cache := filepath.Join(root, ".local", "npm")
	home := filepath.Join(cache, fmt.Sprintf("%x", sha256.Sum256(lock))[:16])
	modules := filepath.Join(home, "node_modules")
	_, err = os.Stat(modules) //nolint:gosec // below our own folder, under a hash
	if !errors.Is(err, fs.ErrNotExist) {
		return modules, err
	}
	err = os.MkdirAll(cache, 0o755) //nolint:gosec // nothing secret
	if err != nil {
		return "", fmt.Errorf("make folder: %w", err)
	}
	// Installed beside its place and then moved, so that what is there is always whole.
	fresh, err := os.MkdirTemp(cache, "nuevo-")
	if err != nil {
		return "", fmt.Errorf("make folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(fresh) }() // gone already, if it was moved
	err = npmCI(tb, programs, fresh)
	if err != nil {
		return "", err
	}
	err = os.Rename(fresh, home) //nolint:gosec // as above
	if errors.Is(err, fs.ErrExist) {
		return modules, nil // another test was faster
	}
	return modules, err
}

// npmCI installs exactly the packages of a lock into dir. No package gets to run a script.
func npmCI(tb testing.TB, programs, dir string) error {
	for _, name := range []string{"package.json", "package-lock.json"} {
		content, err := os.ReadFile(filepath.Join(programs, name))
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		err = os.WriteFile(filepath.Join(dir, name), content, 0o644) //nolint:gosec // nothing secret
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	install := exec.CommandContext(tb.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	output, err := install.CombinedOutput()
	if err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, output)
	}
	return nil
}
