package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ErrSinCitus says that the PostgreSQL of this machine has no Citus.
var ErrSinCitus = errors.New("este PostgreSQL no tiene Citus: docs/operations.md dice cómo instalarlo")

// citusSettings are what each node of a cluster runs with; operations.md tells operators the same, but for the last three.
var citusSettings = map[string]string{
	"shared_preload_libraries": "citus",
	// What tells the policies whose rows are meant must reach the workers.
	"citus.propagate_set_commands": "local",
	// Commits across nodes.
	"max_prepared_transactions":  "200",
	"citus.recover_2pc_interval": "5s",
	// Shards move while they are written.
	"wal_level": "logical",
	// Each database has a process of Citus's own at each node.
	"max_worker_processes":               "100",
	"max_logical_replication_workers":    "16",
	"max_replication_slots":              "32",
	"max_wal_senders":                    "32",
	"citus.enable_statistics_collection": "off",
	"citus.node_conninfo":                "sslmode=disable",
	// Each part of each table takes time to make; so many lie evenly on one to four workers.
	"citus.shard_count": "12",
}

const createExtension = "CREATE EXTENSION IF NOT EXISTS citus"

// coordinator is its name and that of its folder.
const coordinator = "coordinador"

// passFile is where a node finds the passwords with which it reaches the others; relative to the data folder, in which
// the server works.
const passFile = "nodos.clave"

// Citus is a running coordinator and its workers, each a PostgreSQL of its own with the extension citus. All clients
// connect to the coordinator.
type Citus struct {
	cfg         Config
	coordinator *Cluster
	workers     []*Cluster
	// logins are the lines of every node's passFile.
	logins []string
	// databases are those that are spread over the nodes.
	databases []string
}

// StartCitus starts a coordinator and workers, each with cfg and a folder of its own in its Dir.
func StartCitus(ctx context.Context, cfg Config, workers int) (*Citus, error) {
	c := &Citus{cfg: cfg}
	err := c.startNodes(ctx, workers)
	if err != nil {
		return nil, errors.Join(err, c.Close(context.WithoutCancel(ctx)))
	}
	return c, nil
}

func (c *Citus) startNodes(ctx context.Context, workers int) error {
	var err error
	c.coordinator, err = c.startNode(ctx, coordinator)
	if err != nil {
		return err
	}
	err = c.Know(superuser, c.coordinator.password)
	if err != nil {
		return err
	}
	for range workers {
		_, err = c.AddWorker(ctx)
		if err != nil {
			return err
		}
	}
	return c.Extend(ctx, "postgres")
}

// nodeConfig is that of one node.
func (c *Citus) nodeConfig(name string) Config {
	cfg := c.cfg
	cfg.Settings = map[string]string{}
	for _, settings := range []map[string]string{citusSettings, c.cfg.Settings} {
		for setting, value := range settings {
			cfg.Settings[setting] = value
		}
	}
	cfg.Env = append(slices.Clone(c.cfg.Env), "PGPASSFILE="+passFile)
	if name != coordinator {
		cfg.LogPath = ""
	}
	if !cfg.Throwaway {
		cfg.Dir = filepath.Join(c.cfg.Dir, name)
	}
	return cfg
}

// startNode starts a server that can have databases of the cluster.
func (c *Citus) startNode(ctx context.Context, name string) (*Cluster, error) {
	cfg := c.nodeConfig(name)
	err := findCitus(ctx, cfg)
	if err != nil {
		return nil, err
	}
	node, err := Start(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	if c.coordinator != nil {
		err = node.takePassword(ctx, c.coordinator.password)
	}
	if err != nil {
		return nil, errors.Join(err, node.Close(context.WithoutCancel(ctx)))
	}
	return node, nil
}

// takePassword gives the superuser another password: in a cluster the coordinator's roles are everybody's.
func (c *Cluster) takePassword(ctx context.Context, password string) error {
	err := onNode(ctx, c, superuser, "ALTER ROLE "+superuser+" PASSWORD '"+password+"'")
	if err != nil {
		return err
	}
	err = os.WriteFile(filepath.Join(c.home, passwordFile), []byte(password+"\n"), 0o600)
	if err != nil {
		return fmt.Errorf("keep password: %w", err)
	}
	c.password = password
	return nil
}

// findCitus tells whether the PostgreSQL that would be started has the extension.
func findCitus(ctx context.Context, cfg Config) error {
	account, err := serverAccount()
	if err != nil {
		return err
	}
	found, ok := usualPlaces(cfg.ProgramsDir).find(ctx, 0, account)
	if !ok {
		return ErrSinCitus
	}
	for _, libraries := range []string{"lib", "lib/postgresql"} {
		matches, err := filepath.Glob(filepath.Join(found.dir, "..", libraries, "citus.*"))
		if err != nil || len(matches) > 0 {
			return err
		}
	}
	return ErrSinCitus
}

// Coordinator is the node that clients connect to.
func (c *Citus) Coordinator() *Cluster { return c.coordinator }

// Workers are the nodes that hold the data, in the order in which they joined.
func (c *Citus) Workers() []*Cluster { return slices.Clone(c.workers) }

// AddWorker starts one more worker, which holds nothing until shards are moved to it.
func (c *Citus) AddWorker(ctx context.Context) (*Cluster, error) {
	worker, err := c.startNode(ctx, fmt.Sprintf("trabajador-%d", len(c.workers)+1))
	if err != nil {
		return nil, err
	}
	c.workers = append(c.workers, worker)
	err = c.shareLogins()
	for _, database := range c.databases {
		if err == nil {
			err = c.join(ctx, worker, database)
		}
	}
	return worker, err
}

// Extend spreads a database, which is there at the coordinator, over the workers. It may be repeated.
func (c *Citus) Extend(ctx context.Context, database string) error {
	host, port, err := net.SplitHostPort(c.coordinator.Address())
	if err != nil {
		return fmt.Errorf("read address of the coordinator: %w", err)
	}
	err = onNode(ctx, c.coordinator, database,
		createExtension, fmt.Sprintf("SELECT citus_set_coordinator_host('%s', %s)", host, port))
	for _, worker := range c.workers {
		if err == nil {
			err = c.join(ctx, worker, database)
		}
	}
	if err == nil && !slices.Contains(c.databases, database) {
		c.databases = append(c.databases, database)
	}
	return err
}

// join makes a database at a worker, of the same owner, and tells the coordinator's of it. Roles are everybody's once the
// database "postgres" is.
func (c *Citus) join(ctx context.Context, worker *Cluster, database string) error {
	host, port, err := net.SplitHostPort(worker.Address())
	if err != nil {
		return fmt.Errorf("read address of a worker: %w", err)
	}
	owner, err := ownerOf(ctx, c.coordinator, database)
	if err != nil {
		return err
	}
	err = onNode(ctx, worker, "postgres",
		"CREATE DATABASE "+pgx.Identifier{database}.Sanitize()+" OWNER "+pgx.Identifier{owner}.Sanitize())
	if err != nil && !isDuplicate(err) {
		return err
	}
	err = onNode(ctx, worker, database, createExtension)
	if err != nil {
		return err
	}
	return onNode(ctx, c.coordinator, database, fmt.Sprintf("SELECT citus_add_node('%s', %s)", host, port))
}

// Know tells all nodes the password with which a role of the coordinator is to reach the others, and is to be called
// before its tables are distributed.
func (c *Citus) Know(role, password string) error {
	line := fmt.Sprintf("*:*:*:%s:%s", role, password)
	if slices.Contains(c.logins, line) {
		return nil
	}
	c.logins = append(c.logins, line)
	return c.shareLogins()
}

// shareLogins writes the passFile of every node.
func (c *Citus) shareLogins() error {
	text := strings.Join(append(c.logins, ""), "\n")
	for _, node := range append([]*Cluster{c.coordinator}, c.workers...) {
		path := filepath.Join(node.data(), passFile)
		err := os.WriteFile(path, []byte(text), 0o600)
		if err == nil {
			err = give(path, node.account)
		}
		if err != nil {
			return fmt.Errorf("share passwords: %w", err)
		}
	}
	return nil
}

// StartStandby starts a streaming replica of a worker, numbered from 0; the worker is stopped for a moment.
func (c *Citus) StartStandby(ctx context.Context, worker int) (*Cluster, error) {
	return c.workers[worker].StartStandby(ctx, c.nodeConfig(""))
}

// Promote puts a standby in the place of its worker, which is gone, and which Promote closes.
func (c *Citus) Promote(ctx context.Context, worker int, standby *Cluster) error {
	lost := c.workers[worker]
	host, port, err := net.SplitHostPort(standby.Address())
	if err != nil {
		return fmt.Errorf("read address of the standby: %w", err)
	}
	_, lostPort, err := net.SplitHostPort(lost.Address())
	if err != nil {
		return fmt.Errorf("read address of the worker: %w", err)
	}
	c.workers[worker] = standby
	err = errors.Join(lost.Close(ctx), c.shareLogins(), onNode(ctx, standby, "postgres", "SELECT pg_promote()"))
	for _, database := range c.databases {
		if err == nil {
			err = onNode(ctx, c.coordinator, database,
				fmt.Sprintf("SELECT citus_update_node(nodeid, '%s', %s) FROM pg_dist_node WHERE nodeport = %s", host, port, lostPort))
		}
	}
	return err
}

// Close ends all nodes and deletes those that are throw-away. It may be called again.
func (c *Citus) Close(ctx context.Context) error {
	var failures []error
	for _, node := range append([]*Cluster{c.coordinator}, c.workers...) {
		if node != nil {
			failures = append(failures, node.Close(ctx))
		}
	}
	return errors.Join(failures...)
}
