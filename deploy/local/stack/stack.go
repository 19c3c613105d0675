package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/enlace-iis/enlace/deploy/local/envfile"
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
	// Throwaway makes the private PostgreSQL fast and forgetful, for tests.
	Throwaway bool
	// Progress is told, in Spanish, what is being done; nil means nobody listens.
	Progress func(line string)
}

// Exit tells that a part ended although nobody asked it to.
type Exit struct {
	Name    string
	LogPath string
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

// part is one process as the stack handles it.
type part interface {
	name() string
	logPath() string
	// start returns once the part serves. After a kill it starts again at the old address.
	start(ctx context.Context) error
	stop(ctx context.Context) error
	kill() error
	done() <-chan struct{}
}

// run is a part that was started. Each start has its own leaving, so that a late look at the end of an earlier process is
// not mistaken for the end of the present one.
type run struct {
	part
	leaving *atomic.Bool
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

// startPart starts a part and watches it from then on.
func (s *Stack) startPart(ctx context.Context, p part) error {
	err := p.start(ctx)
	if err != nil {
		return err
	}
	r := &run{part: p, leaving: new(atomic.Bool)}
	s.mu.Lock()
	s.runs = append(s.runs, r)
	s.mu.Unlock()
	s.watch(r)
	return nil
}

func (s *Stack) watch(r *run) {
	done, leaving := r.done(), r.leaving
	go func() {
		<-done
		if leaving.Load() {
			return
		}
		select {
		case s.exited <- Exit{Name: r.name(), LogPath: r.logPath()}:
		default: // nobody reads, and more are waiting than there are parts
		}
	}()
}

// Exited delivers the parts that ended although neither Stop, Kill nor Restart asked them to.
func (s *Stack) Exited() <-chan Exit { return s.exited }

// Kill ends a part at once, as a crash would: SIGKILL, and for PostgreSQL its immediate shutdown.
func (s *Stack) Kill(name string) error {
	r, err := s.find(name)
	if err != nil {
		return err
	}
	r.leaving.Store(true)
	return r.kill()
}

// End stops a part in order, as SIGTERM does, and returns once it has ended. It may be called again.
func (s *Stack) End(ctx context.Context, name string) error {
	r, err := s.find(name)
	if err != nil {
		return err
	}
	r.leaving.Store(true)
	return r.stop(ctx)
}

// Restart starts a part again at its old address, after Kill or End or after a stop in order when it still runs, and returns
// once it is ready.
func (s *Stack) Restart(ctx context.Context, name string) error {
	r, err := s.find(name)
	if err != nil {
		return err
	}
	r.leaving.Store(true)
	err = r.stop(ctx)
	if err != nil {
		return err
	}
	err = r.start(ctx)
	if err != nil {
		return err
	}
	s.watchAgain(r)
	return nil
}

// watchAgain watches a part that was stopped on purpose and runs again.
func (s *Stack) watchAgain(r *run) {
	s.mu.Lock()
	r.leaving = new(atomic.Bool)
	s.mu.Unlock()
	s.watch(r)
}

// Pause halts one of our programs where it is, as an overloaded machine might, until Resume: it keeps its connections and
// answers nobody.
func (s *Stack) Pause(name string) error { return s.signal(name, syscall.SIGSTOP) }

// Resume lets a paused program go on.
func (s *Stack) Resume(name string) error { return s.signal(name, syscall.SIGCONT) }

func (s *Stack) signal(name string, sig syscall.Signal) error {
	v, err := s.findService(name)
	if err != nil {
		return err
	}
	return v.process.Signal(sig)
}

func (s *Stack) findService(name string) (*service, error) {
	r, err := s.find(name)
	if err != nil {
		return nil, err
	}
	ours, ok := r.part.(*service)
	if !ok {
		return nil, fmt.Errorf("%s is none of our programs", name)
	}
	return ours, nil
}

func (s *Stack) find(name string) (*run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		if r.name() == name {
			return r, nil
		}
	}
	return nil, fmt.Errorf("find part: no %q runs here", name)
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
			failures = append(failures, v.cluster.Close(ctx))
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
