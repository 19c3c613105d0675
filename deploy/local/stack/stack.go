package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/enlace-iis/enlace/deploy/local/envfile"
	"github.com/enlace-iis/enlace/deploy/local/pgcluster"
)

// The parts, by the names of their binaries.
const (
	Postgres    = "postgres"
	Lectura     = "lectura"
	Pgbouncer   = "pgbouncer"
	Simulador   = "simulador"
	Integracion = "integracion"
	Registros   = "registros"
	Gateway     = "gateway"
)

// SecretsFile keeps, in the folder of the run, what later runs need to read the data of this one.
const SecretsFile = "secretos.env"

// Config says what to run and where.
type Config struct {
	// BinDir holds the four binaries.
	BinDir string
	// Dir holds data, logs and secrets; it is made when absent. One stack at a time may use it.
	Dir string
	// HTTPPort is the gateway's port on loopback; 0 takes a free one.
	HTTPPort int
	// Env is set in every process, over what is inherited and over what the stack chooses itself.
	Env map[string]string
	// DatabaseURLRegistros and DatabaseURLIntegracion are owners' addresses of databases to use in place of a private
	// PostgreSQL: both or neither.
	DatabaseURLRegistros   string
	DatabaseURLIntegracion string
	// Resolver is the host:port of a DNS server that knows Registros and Integracion by name, so that all replicas are
	// called; empty: only the first ones are, by address.
	Resolver string
	// Pgbouncer is the program of a pooler that is put between the services and the private PostgreSQL, with server
	// connections for a transaction each, few and short-lived; empty means none.
	Pgbouncer string
	// Lectura adds a streaming replica of the private PostgreSQL, from which the services read lists.
	Lectura bool
	// CitusWorkers makes the private PostgreSQL a cluster with so many workers, over which the databases are spread.
	CitusWorkers int
	// Throwaway makes the private PostgreSQL fast and forgetful, for tests.
	Throwaway bool
	// Progress is told, in Spanish, what is being done; nil means nobody listens.
	Progress func(line string)
}

// Stack is a running system. Kill, End and Restart are to be called one at a time for each part, and Stop after all of
// them; Exited may be read beside them.
type Stack struct {
	cfg       Config
	addresses Addresses
	databases map[string]database
	server    *server // nil with given databases
	replica   *server // nil without Config.Lectura
	secrets   *envfile.Store
	exited    chan Exit

	mu   sync.Mutex
	runs []*run
}

// Start starts everything and returns once all parts are ready. When one does not get ready, the others are stopped.
func Start(ctx context.Context, cfg Config) (*Stack, error) {
	s, err := assemble(cfg)
	if err != nil {
		return nil, err
	}
	err = s.startAll(ctx)
	if err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

func assemble(cfg Config) (*Stack, error) {
	if (cfg.DatabaseURLRegistros == "") != (cfg.DatabaseURLIntegracion == "") {
		return nil, errors.New("DATABASE_URL_REGISTROS y DATABASE_URL_INTEGRACION van juntas: defina las dos o ninguna")
	}
	for _, folder := range []*string{&cfg.BinDir, &cfg.Dir} {
		full, err := filepath.Abs(*folder)
		if err != nil {
			return nil, fmt.Errorf("resolve folder: %w", err)
		}
		*folder = full
	}
	err := os.MkdirAll(filepath.Join(cfg.Dir, logsFolder), 0o755) //nolint:gosec // PostgreSQL's account has to get through Dir
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	secrets, err := envfile.Open(filepath.Join(cfg.Dir, SecretsFile))
	if err != nil {
		return nil, err
	}
	addresses, err := chooseAddresses(cfg.HTTPPort, scheme(cfg.Env))
	if err != nil {
		return nil, err
	}
	return &Stack{
		cfg: cfg, addresses: addresses, secrets: secrets,
		databases: map[string]database{}, exited: make(chan Exit, 8),
	}, nil
}

func (s *Stack) startAll(ctx context.Context) error {
	err := s.openDatabases(ctx)
	if err != nil {
		return err
	}
	for _, name := range []string{Registros, Integracion} {
		err = s.Migrate(ctx, name)
		if err == nil && s.cfg.CitusWorkers > 0 {
			err = s.Maintain(ctx, name, "distribuir")
		}
		if err != nil {
			return err
		}
	}
	// The platform first, then whoever calls it; the gateway last, when all that it asks is there.
	for _, name := range []string{Simulador, Integracion, Registros, Gateway} {
		s.tell("arranca " + name)
		err = s.startPart(ctx, s.newService(name))
		if err != nil {
			return err
		}
	}
	return nil
}

// Stop ends every part in order, the last started first, and kills what does not end within its limit or before ctx
// does. Nothing runs when it returns. It may be called again.
func (s *Stack) Stop(ctx context.Context) error {
	s.mu.Lock()
	runs := slices.Clone(s.runs)
	s.mu.Unlock()
	for _, r := range runs {
		r.leaving.Store(true)
	}
	var failures []error
	for _, r := range slices.Backward(runs) {
		failures = append(failures, r.stop(ctx))
	}
	for _, v := range []*server{s.replica, s.server} {
		if v != nil && v.cluster != nil {
			failures = append(failures, v.close(ctx))
		}
	}
	return errors.Join(failures...)
}

// Addresses returns where everything listens.
func (s *Stack) Addresses() Addresses { return s.addresses }

// Secrets returns what this and later runs in the same folder share.
func (s *Stack) Secrets() *envfile.Store { return s.secrets }

// AdminURL returns the superuser's address of a database of the private PostgreSQL, or of its replica with Lectura.
func (s *Stack) AdminURL(part, database string) string {
	if part == Lectura {
		return s.replica.cluster.URL(database)
	}
	return s.server.cluster.URL(database)
}

// OwnerURL returns the address with which the database of a service, Registros or Integracion, is migrated.
func (s *Stack) OwnerURL(service string) string { return s.databases[service].owner }

// Citus returns the cluster that the private PostgreSQL is with Config.CitusWorkers.
func (s *Stack) Citus() *pgcluster.Citus { return s.server.citus }

// AppURL returns the address with which a service, Registros or Integracion, reaches its database: the pooler's if there
// is one.
func (s *Stack) AppURL(service string) string { return s.databases[service].app }

// LogPath returns where a part writes its log.
func (s *Stack) LogPath(part string) string { return filepath.Join(s.cfg.Dir, logsFolder, part+".log") }

func (s *Stack) tell(line string) {
	if s.cfg.Progress != nil {
		s.cfg.Progress(line)
	}
}
