package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/enlace-iis/enlace/deploy/local/child"
)

// StartStandby starts a streaming replica of this cluster, which must be running, with the same superuser. The copy is
// made by PostgreSQL's own rules for a backup of files, since not every installation has pg_basebackup: this server is
// stopped for a moment. The replica is a throw-away cluster whatever cfg says; it can always be copied again.
func (c *Cluster) StartStandby(ctx context.Context, cfg Config) (*Cluster, error) {
	cfg.Throwaway = true
	cfg, err := cfg.absolute()
	if err != nil {
		return nil, err
	}
	home, err := homeOf(cfg, c.account)
	if err != nil {
		return nil, err
	}
	standby := &Cluster{cfg: cfg, home: home, account: c.account}
	err = c.copyTo(ctx, standby)
	if err == nil {
		err = standby.start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, standby.discard())
	}
	return standby, nil
}

func (c *Cluster) copyTo(ctx context.Context, standby *Cluster) error {
	err := os.WriteFile(filepath.Join(standby.home, passwordFile), []byte(c.password+"\n"), 0o600)
	if err != nil {
		return fmt.Errorf("keep password: %w", err)
	}
	err = c.Stop(ctx)
	if err != nil {
		return err
	}
	// -p keeps owner and mode, on which the server insists.
	_, err = child.Output(ctx, child.Spec{
		Name: "cp", Path: "/bin/cp", Args: []string{"-Rp", c.data(), standby.data()}, Dir: "/", Env: serverEnv(),
	}, nil)
	err = errors.Join(err, c.Restart(ctx))
	if err != nil {
		return fmt.Errorf("copy data: %w", err)
	}
	return standby.follow(c)
}

// follow makes the copied data those of a replica of the source.
func (c *Cluster) follow(source *Cluster) error {
	host, number, err := net.SplitHostPort(source.Address())
	if err != nil {
		return fmt.Errorf("read address of the source: %w", err)
	}
	settings := filepath.Join(c.data(), "postgresql.auto.conf")
	written, err := os.ReadFile(settings)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	text := strings.Join([]string{
		string(written),
		fmt.Sprintf("primary_conninfo = 'host=%s port=%s user=%s password=%s sslmode=disable'", host, number, superuser, source.password),
		"",
	}, "\n")
	for name, content := range map[string]string{settings: text, filepath.Join(c.data(), "standby.signal"): ""} {
		err = os.WriteFile(name, []byte(content), 0o600)
		if err == nil {
			err = give(name, c.account)
		}
		if err != nil {
			return fmt.Errorf("make a replica of the copy: %w", err)
		}
	}
	return nil
}
