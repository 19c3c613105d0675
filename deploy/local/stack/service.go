package stack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/child"
)

const (
	readyLimit = time.Minute
	// stopLimit leaves a process its own 20 s (STOP_LIMIT) to finish what it is doing.
	stopLimit    = 30 * time.Second
	pollInterval = 50 * time.Millisecond

	logsFolder  = "logs"
	sessionFile = "sesion.json"
	// longestLog is the size past which a log starts afresh with its process.
	longestLog = 16 << 20
)

// service is one of our binaries as a part.
type service struct {
	title   string
	spec    child.Spec
	ops     string
	log     string
	process *child.Process
}

func (s *Stack) newService(name string) *service {
	return &service{
		title: name, spec: s.spec(name), ops: s.addresses.Ops[name],
		log: filepath.Join(s.cfg.Dir, logsFolder, name+".log"),
	}
}

func (s *Stack) spec(name string) child.Spec {
	return child.Spec{
		Name: name, Path: filepath.Join(s.cfg.BinDir, name), Env: s.environment(name, os.Environ()), Dir: s.cfg.Dir,
	}
}

// UseBinaries has everything that is started from now on come from another folder: our programs, migrations and the
// operator's commands. What runs goes on. It is to be called like Restart, and not beside Operator.
func (s *Stack) UseBinaries(dir string) error {
	full, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("resolve folder: %w", err)
	}
	s.cfg.BinDir = full
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		ours, ok := r.part.(*service)
		if ok {
			ours.spec.Path = filepath.Join(full, filepath.Base(ours.spec.Path))
		}
	}
	return nil
}

// Migrate brings the schema of a service, Registros or Integracion, up to date, as its owner. Start has done so once; the
// services may run meanwhile.
func (s *Stack) Migrate(ctx context.Context, name string) error {
	s.tell("migra la base de datos " + name)
	return s.Maintain(ctx, name, "migrate")
}

// Maintain runs a command of a service on its database as its owner: migrate, distribuir or reunir.
func (s *Stack) Maintain(ctx context.Context, name, command string) error {
	spec := s.spec(name)
	spec.Args = []string{command}
	spec.Env = append(spec.Env, "DATABASE_URL_MIGRATION="+s.databases[name].owner)
	_, err := child.Output(ctx, spec, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return nil
}

// Reapply removes again what a restoration brought back, in both databases, and returns what integracion says of it.
// No service may run.
func (s *Stack) Reapply(ctx context.Context) ([]byte, error) {
	spec := s.spec(Registros)
	spec.Args = []string{"reaplicar"}
	spec.Env = append(spec.Env, "HASH_SECRET="+s.secrets.Get("HASH_SECRET"), "REMOVALS_DIR="+s.removals())
	_, err := child.Output(ctx, spec, nil)
	if err != nil {
		return nil, fmt.Errorf("reaplicar: %w", err)
	}
	return s.Operator(ctx, "", "reaplicar")
}

// Setenv changes a setting of one of our programs from its next start on. It is to be called like Restart, and not beside
// Operator.
func (s *Stack) Setenv(name, key, value string) error {
	v, err := s.findService(name)
	if err != nil {
		return err
	}
	// The last value of a name counts.
	v.spec.Env = append(slices.Clip(v.spec.Env), key+"="+value)
	return nil
}

// Operator runs a command of the integracion binary with the settings of the first one, as an operator would, and returns
// its answer. A session that `sesion abrir` opens is kept in the folder of the run, for the commands that follow. Secrets go through stdin, which every user of the machine cannot list as they can arguments.
func (s *Stack) Operator(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	v, err := s.findService(Integracion)
	if err != nil {
		return nil, err
	}
	spec := v.spec
	spec.Args = args
	spec.Env = append(slices.Clip(spec.Env),
		"INTEGRACION_TARGET="+s.Target(Integracion), "SESSION_FILE="+filepath.Join(s.cfg.Dir, sessionFile))
	return child.Output(ctx, spec, strings.NewReader(stdin))
}

func (v *service) name() string          { return v.title }
func (v *service) logPath() string       { return v.log }
func (v *service) done() <-chan struct{} { return v.process.Done() }
func (v *service) kill() error           { return v.process.Kill() }

func (v *service) stop(ctx context.Context) error { return v.process.Stop(ctx, stopLimit) }

func (v *service) start(ctx context.Context) error {
	log, err := openLog(v.log)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the process has its own copy, and we write nothing
	spec := v.spec
	spec.Output = log
	v.process, err = child.Start(spec)
	if err != nil {
		return err
	}
	err = v.awaitReady(ctx)
	if err != nil {
		return errors.Join(err, v.process.Stop(context.WithoutCancel(ctx), stopLimit))
	}
	return nil
}

// awaitReady asks the operations port until it says that the process serves and reaches what it needs.
func (v *service) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	for !isReady(ctx, "http://"+v.ops+"/readyz") {
		select {
		case <-v.process.Done():
			return fmt.Errorf("start %s: it ended before it was ready (%w); see %s", v.title, orOrderly(v.process.Err()), v.log)
		case <-ctx.Done():
			return fmt.Errorf("start %s: not ready: %w; see %s", v.title, ctx.Err(), v.log)
		case <-time.After(pollInterval):
		}
	}
	return nil
}

var errOrderly = errors.New("exit status 0")

func orOrderly(err error) error {
	if err == nil {
		return errOrderly
	}
	return err
}

// direct asks loopback without the proxy that the environment may name.
var direct = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}

func isReady(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	response, err := direct.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// openLog continues the log of earlier runs until it is long.
func openLog(path string) (*os.File, error) {
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	info, err := os.Stat(path)
	if err == nil && info.Size() > longestLog {
		flags |= os.O_TRUNC
	}
	log, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	return log, nil
}
