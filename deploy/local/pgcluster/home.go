package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// locationFile, inside the folder that was asked for, names the one that is used instead.
const locationFile = "ubicacion"

// place returns a folder that the account can enter: the wanted one, or one under the system's temporary folder that is
// recorded in the wanted one, so that the next run finds it again.
func place(wanted string, account *syscall.Credential) (string, error) {
	err := os.MkdirAll(wanted, 0o755) //nolint:gosec // the account has to get through; the data inside are 0700
	if err != nil {
		return "", fmt.Errorf("make folder: %w", err)
	}
	if reachable(wanted, account) {
		return wanted, nil
	}
	recorded := Location(wanted)
	if recorded != wanted && reachable(recorded, account) {
		return recorded, nil
	}
	other, err := temporaryFolder("", account)
	if err != nil {
		return "", err
	}
	err = os.WriteFile(filepath.Join(wanted, locationFile), []byte(other+"\n"), 0o600)
	if err != nil {
		return "", fmt.Errorf("record folder: %w", err)
	}
	return other, nil
}

// Location returns where the cluster or the programs of dir really lie: dir itself, unless the server's account could
// not enter it.
func Location(dir string) string {
	content, err := os.ReadFile(filepath.Join(dir, locationFile))
	if err != nil {
		return dir
	}
	return strings.TrimSpace(string(content))
}

// Remove deletes what Start made for dir, wherever it lies, and stops the server that a killed launcher left there.
func Remove(ctx context.Context, dir string) error {
	_, err := clearLeftover(ctx, filepath.Join(Location(dir), dataFolder))
	if err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(Location(dir)), os.RemoveAll(dir))
}

// temporaryFolder makes a new folder under parent, or under the first of the system's temporary folders that the account
// can enter. TMPDIR alone is not enough: root's may lie in root's home.
func temporaryFolder(parent string, account *syscall.Credential) (string, error) {
	if parent != "" {
		err := os.MkdirAll(parent, 0o755) //nolint:gosec // as in place
		if err != nil {
			return "", fmt.Errorf("make folder: %w", err)
		}
	}
	for _, candidate := range []string{parent, os.TempDir(), "/tmp", "/var/tmp"} {
		if candidate == "" || !reachable(candidate, account) {
			continue
		}
		dir, err := os.MkdirTemp(candidate, "enlace-postgres-")
		if err != nil {
			return "", fmt.Errorf("make temporary folder: %w", err)
		}
		// Others may pass, not list: the data folder inside is 0700 and the account's own.
		err = os.Chmod(dir, 0o711) //nolint:gosec // see above
		if err != nil {
			return "", fmt.Errorf("open temporary folder: %w", err)
		}
		return dir, nil
	}
	return "", errors.New("make temporary folder: the account of PostgreSQL can enter none")
}
