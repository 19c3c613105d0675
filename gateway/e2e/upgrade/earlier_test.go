//go:build linux && upgrade

package upgrade

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// buildEarlier finds or makes the earlier programs, below dir. A revision that was not
// asked for may lack: a clone can be shallow, a commit can be the first one, can fail to
// build, or can have migrations that were edited since. The present programs then stand for
// the earlier ones.
func buildEarlier(dir string) error {
	root, err := harness.Repository()
	if err != nil {
		return err
	}
	revision := os.Getenv("UPGRADE_FROM")
	if revision != "" {
		return buildRevision(root, revision, dir)
	}
	revision, err = lastRevision(root)
	if err == nil {
		err = buildRevision(root, revision, dir)
	}
	if err != nil {
		fmt.Printf("no earlier revision to upgrade from, the present programs take its part: %v\n", err)
		earlier = present
	}
	return nil
}

// lastRevision is HEAD while the tree has migrations that HEAD lacks, and else the commit
// before it.
func lastRevision(root string) (string, error) {
	added, err := addedSince(root, "HEAD")
	if err != nil {
		return "", err
	}
	revision := "HEAD~1"
	if len(added) > 0 {
		revision = "HEAD"
	}
	hash, err := output(root, "git", "rev-parse", "--quiet", "--verify", revision)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", revision, err)
	}
	return string(hash), nil
}

// buildRevision builds the programs of a revision. The platform's stand-in is the present
// one, because it is the present tests that drive it.
func buildRevision(root, revision, dir string) error {
	added, err := addedSince(root, revision)
	if err != nil {
		return err
	}
	fmt.Printf("upgrade from %s, new migrations: %q\n", revision, bytes.Fields(added))
	tree, archive := filepath.Join(dir, "tree"), filepath.Join(dir, "tree.tar")
	_, err = output(root, "git", "archive", "--output", archive, revision)
	if err != nil {
		return err
	}
	err = os.Mkdir(tree, 0o755)
	if err != nil {
		return err
	}
	_, err = output(tree, "tar", "-xf", archive)
	if err != nil {
		return err
	}
	earlier = filepath.Join(dir, "earlier")
	err = harness.BuildTree(tree, earlier, "-race")
	if err != nil {
		return err
	}
	simulador := filepath.Join(earlier, stack.Simulador)
	return errors.Join(os.Remove(simulador), os.Symlink(filepath.Join(present, stack.Simulador), simulador))
}

// addedSince lists the tree's migrations that a revision lacks. It is an error that a
// database of that revision cannot be migrated.
func addedSince(root, revision string) ([]byte, error) {
	return output(root, filepath.Join(root, "deploy", "migrations", "check.sh"), revision)
}

// output runs a program in dir and gives what it prints.
func output(dir, name string, args ...string) ([]byte, error) {
	command := exec.Command(name, args...)
	command.Dir = dir
	var told bytes.Buffer
	command.Stderr = &told
	content, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", command, err, told.Bytes())
	}
	return bytes.TrimSpace(content), nil
}
