package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/enlace-iis/enlace/deploy/local/child"
	"github.com/enlace-iis/enlace/deploy/local/pgcluster"
	"github.com/enlace-iis/enlace/deploy/local/stack"
)

const (
	testDatabaseURL  = "TEST_DATABASE_URL"
	testCitusWorkers = "TEST_CITUS_WORKERS"
)

const (
	// testCitus is how many workers a test's cluster has.
	testCitus = 2
	// testShards is into how many parts it spreads a table: a few, since each test makes its own.
	testShards = "4"
)

// withPostgres runs a command with the superuser's address of a PostgreSQL in TEST_DATABASE_URL: the one that is there
// already, or a throw-away one. It returns the command's exit status.
func withPostgres(ctx context.Context, signals <-chan os.Signal, command []string) (int, error) {
	if os.Getenv(testDatabaseURL) != "" {
		return runCommand(ctx, signals, command, os.Environ())
	}
	cluster, err := startThrowaway(ctx, signals, pgcluster.Start)
	if err != nil {
		return 1, err
	}
	return with(ctx, cluster, signals, command, testDatabaseURL+"="+cluster.URL("postgres"))
}

// withCitus does what withPostgres does, with a cluster: its coordinator is what tests take for PostgreSQL, and those that
// make a database of their own there spread it over the workers.
func withCitus(ctx context.Context, signals <-chan os.Signal, command []string) (int, error) {
	cluster, err := startThrowaway(ctx, signals, func(ctx context.Context, cfg pgcluster.Config) (*pgcluster.Citus, error) {
		cfg.Settings = map[string]string{"citus.shard_count": testShards}
		return pgcluster.StartCitus(ctx, cfg, testCitus)
	})
	if err != nil {
		return 1, err
	}
	var workers []string
	for _, worker := range cluster.Workers() {
		workers = append(workers, worker.URL("postgres"))
	}
	return with(ctx, cluster, signals, command,
		testDatabaseURL+"="+cluster.Coordinator().URL("postgres"), testCitusWorkers+"="+strings.Join(workers, " "))
}

// closer is what was started for a command.
type closer interface {
	Close(ctx context.Context) error
}

// with runs a command and closes what was started for it.
func with(ctx context.Context, started closer, signals <-chan os.Signal, command []string, environment ...string) (int, error) {
	status, err := runCommand(ctx, signals, command, append(os.Environ(), environment...))
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	return status, errors.Join(err, started.Close(stopping))
}

// startThrowaway starts a PostgreSQL; a signal meanwhile ends that.
func startThrowaway[C any](ctx context.Context, signals <-chan os.Signal, start func(context.Context, pgcluster.Config) (C, error)) (C, error) {
	var none C
	root, err := findRoot()
	if err != nil {
		return none, err
	}
	s, err := loadSettings(root)
	if err != nil {
		return none, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	return start(ctx, pgcluster.Config{
		Throwaway: true, ProgramsDir: s.path(stack.ProgramsFolder),
		Progress: func(line string) { fmt.Fprintln(os.Stderr, "→", line) },
	})
}

// runCommand runs the command in a process group of its own, without standard input, and passes signals on to all of it,
// as a terminal would.
func runCommand(ctx context.Context, signals <-chan os.Signal, command, environment []string) (int, error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return 127, fmt.Errorf("find command: %w", err)
	}
	process, err := child.Start(child.Spec{
		Name: command[0], Path: path, Args: command[1:], Env: environment, Output: os.Stdout, Errors: os.Stderr,
	})
	if err != nil {
		return 126, err
	}
	gone := ctx.Done()
	for {
		select {
		case <-process.Done():
			return statusOf(process.Err()), nil
		case received := <-signals:
			err = process.Signal(received.(syscall.Signal))
		case <-gone:
			gone = nil
			err = process.Signal(syscall.SIGTERM)
		}
		if err != nil {
			return 1, errors.Join(fmt.Errorf("pass signal on: %w", err), process.Kill())
		}
	}
}

// statusOf returns the exit status as shells count it: 128 and the signal's number for a process that one ended.
func statusOf(err error) int {
	failure, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return 0
	}
	status, ok := failure.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return failure.ExitCode()
}
