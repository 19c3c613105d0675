package pgcluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/enlace-iis/enlace/deploy/local/child"
)

const (
	superuser    = "postgres"
	dataFolder   = "data"
	passwordFile = "superusuario.clave"
)

// dataMajor returns the version that made the data under home, 0 when there is none yet.
func dataMajor(home string) (int, error) {
	content, err := os.ReadFile(filepath.Join(home, dataFolder, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read version of the data: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0, fmt.Errorf("read version of the data: %w", err)
	}
	return major, nil
}

// initialize makes the data folder under home and the file with the superuser's password. It works aside and renames at
// the end: a data folder that exists is whole.
func initialize(ctx context.Context, cfg Config, home string, bin programs, account *syscall.Credential) error {
	password := rand.Text()
	err := os.WriteFile(filepath.Join(home, passwordFile), []byte(password+"\n"), 0o600)
	if err != nil {
		return fmt.Errorf("keep password: %w", err)
	}
	aside, err := os.MkdirTemp(home, "initdb-")
	if err != nil {
		return fmt.Errorf("make folder for initdb: %w", err)
	}
	err = give(aside, account)
	if err == nil {
		err = runInitdb(ctx, cfg, filepath.Join(aside, dataFolder), password, bin, account)
	}
	if err == nil {
		err = os.Rename(filepath.Join(aside, dataFolder), filepath.Join(home, dataFolder))
	}
	return errors.Join(err, os.RemoveAll(aside))
}

func runInitdb(ctx context.Context, cfg Config, data, password string, bin programs, account *syscall.Credential) error {
	// initdb opens the file under the server's account, which may not read ours.
	handover := filepath.Join(filepath.Dir(data), "password")
	err := os.WriteFile(handover, []byte(password+"\n"), 0o600)
	if err != nil {
		return fmt.Errorf("hand over password: %w", err)
	}
	err = give(handover, account)
	if err != nil {
		return fmt.Errorf("hand over password: %w", err)
	}
	args := append([]string{
		"--pgdata", data, "--username", superuser, "--pwfile", handover,
		"--auth", "scram-sha-256", "--encoding", "UTF8",
	}, localeArgs()...)
	if cfg.Throwaway {
		args = append(args, "--no-sync")
	}
	_, err = child.Output(ctx, child.Spec{
		Name: "initdb", Path: bin.initdb(), Args: args, Dir: "/", Env: serverEnv(), Account: account,
	}, nil)
	return err
}

// localeArgs asks for Unicode with the byte order for sorting, which is the same on every system. macOS has no C.UTF-8.
func localeArgs() []string {
	locale := "C.UTF-8"
	if runtime.GOOS == "darwin" {
		locale = "en_US.UTF-8"
	}
	return []string{"--locale", locale, "--lc-collate", "C"}
}

// serverEnv is the environment of PostgreSQL's programs. PGDATA, PGPORT and their like of the person's own server stay
// out of it.
func serverEnv() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "LC_MESSAGES=C", "TZ=UTC"}
}

func readPassword(home string) (string, error) {
	content, err := os.ReadFile(filepath.Join(home, passwordFile))
	if err != nil {
		return "", fmt.Errorf("read password of the superuser: %w", err)
	}
	return strings.TrimSpace(string(content)), nil
}
