// Package harness is what every suite that drives the built programs shares: building and
// starting the whole of Enlace, an institution that both sides know, its routes, and what
// the platform was told of it.
//
// It is imported by tests only. It starts processes and asks over their public faces; it
// never looks into a database, and it decides nothing that a test should assert.
package harness

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/document"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
)

// System is a running system.
type System struct {
	*stack.Stack
	// BinDir holds the programs that it runs.
	BinDir string
	// Document is what its gateway says of itself.
	Document *document.Document

	// inward is how the programs reach each other.
	inward   routes.TLS
	operador operador
}

// Main builds the programs, starts a system with env over the usual settings, runs the
// tests and stops it; it returns the exit code. started gets the system before the tests
// run. A program that dies by itself fails the run.
func Main(m *testing.M, env map[string]string, started func(*System)) int {
	return MainWith(m, stack.Config{Throwaway: true}, env, started)
}

// MainWith is Main with a system that cfg describes; it chooses the folder itself, and builds
// the programs unless cfg has them.
func MainWith(m *testing.M, cfg stack.Config, env map[string]string, started func(*System)) int {
	dir, err := os.MkdirTemp("", "enlace-e2e-")
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if cfg.BinDir == "" {
		cfg.BinDir, err = BuildShared()
		if err != nil {
			return failed(err)
		}
	}
	cfg.Dir = filepath.Join(dir, "run")
	s, err := StartWith(cfg, env)
	if err != nil {
		return failed(err)
	}
	started(s)
	code := m.Run()
	select {
	case exit := <-s.Exited():
		fmt.Fprintf(os.Stderr, "%s died during the tests; its log ends with:\n%s\n", exit.Name, tail(exit.LogPath))
		code = 1
	default:
	}
	err = Recorder.Breaches()
	if err != nil {
		code = failed(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err = s.Stop(ctx)
	if err != nil {
		return failed(err)
	}
	return code
}

// Parallel lets n tests run at once unless the command line says how many. Tests that wait
// for the system rather than compute need more than there are cores.
func Parallel(n string) error {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return nil
	}
	err := flag.Set("test.parallel", n)
	if err != nil {
		return fmt.Errorf("set parallelism: %w", err)
	}
	return nil
}

// Start starts a whole system of its own in dir, whose PostgreSQL is fast and forgets what it
// acknowledged last when it crashes.
func Start(binDir, dir string, env map[string]string) (*System, error) {
	return StartWith(stack.Config{BinDir: binDir, Dir: dir, Throwaway: true}, env)
}

// StartDurable starts one whose PostgreSQL keeps what it acknowledged.
func StartDurable(binDir, dir string, env map[string]string) (*System, error) {
	return StartWith(stack.Config{BinDir: binDir, Dir: dir}, env)
}

// startLimit is for a cluster on a machine that does much else; anything else is there in seconds.
const startLimit = 5 * time.Minute

// StartWith starts one that cfg describes.
func StartWith(cfg stack.Config, env map[string]string) (*System, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	settings := map[string]string{"APP_ENV": "development", "DOCS_ENABLED": "true", "GORACE": "halt_on_error=1"}
	maps.Copy(settings, env)
	cfg.Env = settings
	if OnCluster() {
		cfg.CitusWorkers = max(cfg.CitusWorkers, usualWorkers)
	}
	started, err := stack.Start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s := &System{Stack: started, BinDir: cfg.BinDir, inward: routes.TLS{
		ServerCAFile: settings["TLS_SERVER_CA_FILE"], CertFile: settings["TLS_CLIENT_CERT_FILE"], KeyFile: settings["TLS_CLIENT_KEY_FILE"],
	}}
	err = s.readDocument(ctx, settings["ROOT_PATH"])
	if err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// OnCluster tells whether the databases of all systems lie on a cluster, which each starts for
// itself: make citus-check has it so for suites that know nothing of it.
func OnCluster() bool { return os.Getenv("TEST_ON_CITUS") != "" }

// usualWorkers are those of a cluster that nobody describes.
const usualWorkers = 2

// readDocument has all further answers of the gateway held against what it says of itself.
func (s *System) readDocument(ctx context.Context, rootPath string) error {
	base := s.Addresses().BaseURL
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/openapi.json", nil)
	if err != nil {
		return fmt.Errorf("ask for the document: %w", err)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return fmt.Errorf("ask for the document: %w", err)
	}
	text, err := io.ReadAll(res.Body)
	err = errors.Join(err, res.Body.Close())
	if err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	document, err := document.Parse(text, base+rootPath)
	if err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	Recorder.Know(base, document)
	s.Document = document
	return nil
}

// Repository finds the root of the checkout from the folder of the test.
func Repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find repository: %w", err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		_, err = os.Stat(filepath.Join(dir, "go.work"))
		if err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("find repository: no go.work above: %w", err)
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// tail gives the last lines of a log.
func tail(path string) []byte {
	content, err := os.ReadFile(path)
	if err != nil {
		return []byte(err.Error())
	}
	return content[max(0, len(content)-4000):]
}
