package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/enlace-iis/enlace/deploy/local/child"
	"github.com/enlace-iis/enlace/deploy/local/pgcluster"
	"github.com/enlace-iis/enlace/deploy/local/stack"
)

const testDatabaseURL = "TEST_DATABASE_URL"

// withPostgres runs a command with the superuser's address of a PostgreSQL in TEST_DATABASE_URL: the one that is there
// already, or a throw-away one. It returns the command's exit status.
func withPostgres(ctx context.Context, signals <-chan os.Signal, command []string) (int, error) {
	if os.Getenv(testDatabaseURL) != "" {
		return runCommand(ctx, signals, command, os.Environ())
	}
	cluster, err := startThrowaway(ctx, signals)
	if err != nil {
		return 1, err
	}
	status, err := runCommand(ctx, signals, command, append(os.Environ(), testDatabaseURL+"="+cluster.URL("postgres")))
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	return status, errors.Join(err, cluster.Close(stopping))
}

// startThrowaway starts the cluster; a signal meanwhile ends that.
func startThrowaway(ctx context.Context, signals <-chan os.Signal) (*pgcluster.Cluster, error) {
	root, err := findRoot()
	if err != nil {
		return nil, err
	}
	s, err := loadSettings(root)
	if err != nil {
		return nil, err
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
	return pgcluster.Start(ctx, pgcluster.Config{
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
