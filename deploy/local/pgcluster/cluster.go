package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/child"
	"github.com/enlace-iis/enlace/deploy/local/port"
)

const (
	readyLimit   = time.Minute
	stopLimit    = 30 * time.Second
	pollInterval = 50 * time.Millisecond
)

// Config says which cluster to run.
type Config struct {
	// Dir holds the cluster; it is made when absent. A throw-away cluster gets a new folder inside it, or under the
	// system's temporary folder when Dir is empty.
	Dir string
	// Throwaway makes a fast cluster that survives nothing: not synced to disk, and deleted by Close.
	Throwaway bool
	// Settings are further server settings by name.
	Settings map[string]string
	// Env is set for the server beside what it always gets.
	Env []string
	// ProgramsDir keeps a PostgreSQL that had to be brought; empty means "programas" beside the data.
	ProgramsDir string
	// LogPath receives the server's log; empty means "postgres.log" beside the data.
	LogPath string
	// Progress is told, in Spanish, what takes long or is worth knowing; nil means nobody listens.
	Progress func(line string)
}

// Cluster is a running PostgreSQL.
type Cluster struct {
	cfg      Config
	home     string
	bin      programs
	account  *syscall.Credential
	port     int
	password string
	process  *child.Process
}

// Start finds or brings PostgreSQL, makes the cluster unless its data exist, and returns once it answers. Data that
// exist are kept, also after their server was killed.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	account, err := serverAccount()
	if err != nil {
		return nil, err
	}
	cfg, err = cfg.absolute()
	if err != nil {
		return nil, err
	}
	home, err := homeOf(cfg, account)
	if err != nil {
		return nil, err
	}
	c := &Cluster{cfg: cfg, home: home, account: account}
	err = c.start(ctx)
	if err != nil {
		return nil, errors.Join(err, c.discard())
	}
	return c, nil
}

// homeOf chooses the folder of the cluster, and says so when it is not the wanted one.
func homeOf(cfg Config, account *syscall.Credential) (string, error) {
	if cfg.Throwaway {
		return temporaryFolder(cfg.Dir, account)
	}
	home, err := place(cfg.Dir, account)
	if err != nil {
		return "", err
	}
	if home != cfg.Dir {
		cfg.tell("la cuenta de PostgreSQL no puede entrar en " + cfg.Dir + ": los datos quedan en " + home)
	}
	return home, nil
}

func (c *Cluster) start(ctx context.Context) error {
	if c.cfg.ProgramsDir == "" {
		c.cfg.ProgramsDir = filepath.Join(c.home, "programas")
	}
	if c.cfg.LogPath == "" {
		c.cfg.LogPath = filepath.Join(c.home, "postgres.log")
	}
	err := c.prepareData(ctx)
	if err != nil {
		return err
	}
	c.password, err = readPassword(c.home)
	if err != nil {
		return err
	}
	c.port, err = port.Free()
	if err != nil {
		return err
	}
	return c.Restart(ctx)
}

func (c *Cluster) prepareData(ctx context.Context) error {
	major, err := dataMajor(c.home)
	if err != nil {
		return err
	}
	c.bin, err = findOrBring(ctx, c.cfg, major, c.account)
	if err != nil {
		return err
	}
	if major != 0 {
		return nil
	}
	return initialize(ctx, c.cfg, c.home, c.bin, c.account)
}

func findOrBring(ctx context.Context, cfg Config, major int, account *syscall.Credential) (programs, error) {
	found, ok := usualPlaces(cfg.ProgramsDir).find(ctx, major, account)
	if ok {
		return found, nil
	}
	if major != 0 && major != npmMajor {
		return programs{}, fmt.Errorf("los datos son de PostgreSQL %d, que ya no está en esta máquina: instálelo o borre los datos (make clean-local)", major)
	}
	return bring(ctx, cfg, account)
}

// Restart starts the server again, on the same port, after Stop, Crash or an unplanned end.
func (c *Cluster) Restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	killed, err := clearLeftover(ctx, c.data())
	if err != nil {
		return err
	}
	for {
		err = c.startOnce(ctx)
		if !errors.Is(err, errEnded) {
			return err
		}
		// For a moment after a kill the old server's workers hold the shared memory, and a new one gives up at once.
		if !killed || ctx.Err() != nil {
			return fmt.Errorf("%w; see %s", err, c.cfg.LogPath)
		}
		time.Sleep(pollInterval)
	}
}

// errEnded says that the server ended before it answered.
var errEnded = errors.New("start postgres: it ended at once")

func (c *Cluster) startOnce(ctx context.Context) error {
	log, err := os.OpenFile(c.cfg.LogPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open log of postgres: %w", err)
	}
	defer func() { _ = log.Close() }() // the server has its own copy, and we write nothing
	c.process, err = child.Start(child.Spec{
		Name: "postgres", Path: c.bin.postgres(), Args: c.serverArgs(), Dir: "/", Env: append(serverEnv(), c.cfg.Env...),
		Output: log, Account: c.account,
		// SIGINT is PostgreSQL's fast shutdown: it ends sessions and loses nothing.
		StopSignal: syscall.SIGINT, DeathSignal: syscall.SIGINT,
	})
	if err != nil {
		return err
	}
	err = c.awaitReady(ctx)
	if err != nil {
		return errors.Join(err, c.process.Stop(context.WithoutCancel(ctx), stopLimit))
	}
	return nil
}

// awaitReady waits until the superuser can log in.
func (c *Cluster) awaitReady(ctx context.Context) error {
	for {
		conn, err := pgx.Connect(ctx, c.URL(superuser))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-c.process.Done():
			return errEnded
		case <-ctx.Done():
			return fmt.Errorf("wait for postgres: %w", err)
		case <-time.After(pollInterval):
		}
	}
}

func (c *Cluster) serverArgs() []string {
	settings := map[string]string{
		"listen_addresses":        "127.0.0.1",
		"port":                    strconv.Itoa(c.port),
		"unix_socket_directories": socketFolder(c.data()),
	}
	if c.cfg.Throwaway {
		settings["fsync"] = "off"
		settings["synchronous_commit"] = "off"
		settings["full_page_writes"] = "off"
		settings["max_connections"] = "200"
	}
	for name, value := range c.cfg.Settings {
		settings[name] = value
	}
	args := []string{"-D", c.data()}
	for name, value := range settings {
		args = append(args, "--"+name+"="+value)
	}
	slices.Sort(args[2:])
	return args
}

// longestSocketPath is what fits into macOS' sockaddr_un; Linux allows three bytes more.
const longestSocketPath = 103

// socketFolder returns the setting that puts the Unix socket into the data folder, which no other account can enter, or
// the one that makes no socket when its path would be too long. Everything of ours connects over TCP.
func socketFolder(data string) string {
	if len(filepath.Join(data, ".s.PGSQL.65535")) > longestSocketPath {
		return ""
	}
	return `"` + data + `"`
}

// Stop ends the server in order; Restart is possible after it. It may be called again.
func (c *Cluster) Stop(ctx context.Context) error {
	return c.process.Stop(ctx, stopLimit)
}

// Close stops the server and deletes a throw-away cluster. It may be called again.
func (c *Cluster) Close(ctx context.Context) error {
	return errors.Join(c.Stop(ctx), c.discard())
}

func (c *Cluster) discard() error {
	if !c.cfg.Throwaway {
		return nil
	}
	return os.RemoveAll(c.home)
}

// Crash ends the server at once and without a checkpoint, as a power cut would as far as a client can tell. PostgreSQL's
// immediate shutdown takes its workers along; SIGKILL would leave them behind for a while. A throw-away cluster, which
// commits asynchronously, loses its last commits.
func (c *Cluster) Crash() error {
	err := c.process.Signal(syscall.SIGQUIT)
	if err != nil {
		return fmt.Errorf("crash postgres: %w", err)
	}
	<-c.process.Done()
	return nil
}

// Done is closed when the server has ended, planned or not. After Restart it is another channel.
func (c *Cluster) Done() <-chan struct{} { return c.process.Done() }

// Address returns the server's host:port.
func (c *Cluster) Address() string { return port.Address(c.port) }

// URL returns the superuser's address of a database.
func (c *Cluster) URL(database string) string {
	return URL(superuser, c.password, c.Address(), database)
}

// URL returns the address of a database on this machine for any role.
func URL(role, password, host, database string) string {
	address := url.URL{
		Scheme: "postgres", User: url.UserPassword(role, password), Host: host, Path: "/" + database,
		RawQuery: "sslmode=disable",
	}
	return address.String()
}

func (c *Cluster) data() string { return filepath.Join(c.home, dataFolder) }

// absolute resolves the folders, since the server works in another directory.
func (cfg Config) absolute() (Config, error) {
	for _, path := range []*string{&cfg.Dir, &cfg.ProgramsDir, &cfg.LogPath} {
		if *path == "" {
			continue
		}
		full, err := filepath.Abs(*path)
		if err != nil {
			return cfg, fmt.Errorf("resolve folder of postgres: %w", err)
		}
		*path = full
	}
	return cfg, nil
}

func (cfg Config) tell(line string) {
	if cfg.Progress != nil {
		cfg.Progress(line)
	}
}
