package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/child"
	"github.com/enlace-iis/enlace/deploy/local/port"
)

// pgbouncerFolder is the folder of the run that holds the pooler's configuration.
const pgbouncerFolder = "pgbouncer"

// pgbouncerConfig keeps server connections few, so that clients share them, and short-lived, so that none can rely on
// one. Its console answers every client.
const pgbouncerConfig = `[databases]
* = host=%s port=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = scram-sha-256
auth_file = %s
stats_users = %s
pool_mode = transaction
default_pool_size = 4
max_client_conn = 1000
server_lifetime = 3
server_round_robin = 1
`

// pooler is a pgbouncer as a part.
type pooler struct {
	program string
	config  string
	address string
	log     string
	process *child.Process
}

// startPgbouncer starts the pooler before the private PostgreSQL, and sends the services to it.
func (s *Stack) startPgbouncer(ctx context.Context) error {
	s.tell("arranca pgbouncer")
	number, err := port.Free()
	if err != nil {
		return err
	}
	v := &pooler{
		program: s.cfg.Pgbouncer, address: port.Address(number), log: filepath.Join(s.cfg.Dir, logsFolder, Pgbouncer+".log"),
	}
	v.config, err = s.configurePgbouncer(number)
	if err != nil {
		return fmt.Errorf("configure pgbouncer: %w", err)
	}
	err = s.startPart(ctx, v)
	if err != nil {
		return err
	}
	for name, d := range s.databases {
		d.app, err = atHost(d.app, v.address)
		if err != nil {
			return err
		}
		s.databases[name] = d
	}
	return nil
}

// configurePgbouncer writes its two files and returns the path of the first.
func (s *Stack) configurePgbouncer(number int) (string, error) {
	dir := filepath.Join(s.cfg.Dir, pgbouncerFolder)
	err := os.MkdirAll(dir, 0o755) //nolint:gosec // pgbouncer's account has to get through
	if err != nil {
		return "", err
	}
	var users, names []string
	for _, d := range s.databases {
		login, err := url.Parse(d.app)
		if err != nil {
			return "", err
		}
		password, _ := login.User.Password()
		names = append(names, login.User.Username())
		users = append(users, fmt.Sprintf("%q %q\n", login.User.Username(), password))
	}
	slices.Sort(names)
	host, serverPort, err := net.SplitHostPort(s.server.cluster.Address())
	if err != nil {
		return "", err
	}
	userlist, config := filepath.Join(dir, "userlist.txt"), filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Sprintf(pgbouncerConfig, host, serverPort, number, userlist, strings.Join(names, ","))
	return config, errors.Join(
		os.WriteFile(userlist, []byte(strings.Join(users, "")), 0o600),
		os.WriteFile(config, []byte(text), 0o600),
	)
}

func (v *pooler) name() string                   { return Pgbouncer }
func (v *pooler) logPath() string                { return v.log }
func (v *pooler) done() <-chan struct{}          { return v.process.Done() }
func (v *pooler) kill() error                    { return v.process.Kill() }
func (v *pooler) stop(ctx context.Context) error { return v.process.Stop(ctx, stopLimit) }

func (v *pooler) start(ctx context.Context) error {
	log, err := openLog(v.log)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the process has its own copy, and we write nothing
	args := []string{v.config}
	if os.Geteuid() == 0 {
		// It refuses to work as root, and becomes somebody else once it has read its files.
		args = []string{"-u", "nobody", v.config}
	}
	v.process, err = child.Start(child.Spec{
		Name: Pgbouncer, Path: v.program, Args: args, Env: []string{"PATH=" + os.Getenv("PATH"), "TZ=UTC"}, Dir: "/",
		// Its orderly end waits for clients to leave; SIGTERM is the quick one.
		Output: log, StopSignal: syscall.SIGTERM,
	})
	if err != nil {
		return err
	}
	return v.awaitListening(ctx)
}

func (v *pooler) awaitListening(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	var dialer net.Dialer
	for {
		conn, err := dialer.DialContext(ctx, "tcp", v.address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-v.process.Done():
			return fmt.Errorf("start pgbouncer: it ended at once; see %s", v.log)
		case <-ctx.Done():
			return fmt.Errorf("start pgbouncer: not listening: %w", ctx.Err())
		case <-time.After(pollInterval):
		}
	}
}

// atHost sends an address to another server.
func atHost(address, host string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("read address of database: %w", err)
	}
	parsed.Host = host
	return parsed.String(), nil
}
