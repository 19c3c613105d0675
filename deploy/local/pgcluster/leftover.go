package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// clearLeftover deals with the server of a launcher that was killed. One that still runs is stopped: its port and its
// launcher's other processes are not ours. A lock file whose process id now belongs to somebody else is deleted, since
// PostgreSQL would take that process for a running server and refuse to start. The answer tells whether there was one.
func clearLeftover(ctx context.Context, data string) (bool, error) {
	lock := filepath.Join(data, "postmaster.pid")
	content, err := os.ReadFile(lock)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read lock of an earlier server: %w", err)
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err == nil && pid > 1 && isServerOf(ctx, pid, data) {
		return true, stopLeftover(ctx, pid, data)
	}
	err = os.Remove(lock)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return true, fmt.Errorf("delete lock of an earlier server: %w", err)
	}
	return true, nil
}

// isServerOf tells whether the process is a PostgreSQL that was started on data. ps reads the command line the same way
// on Linux and macOS; where it is missing, /proc does.
func isServerOf(ctx context.Context, pid int, data string) bool {
	command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		ps := exec.CommandContext(ctx, "ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)) //nolint:gosec // pid is a number
		command, err = ps.Output()
	}
	return err == nil && strings.Contains(string(command), data)
}

func stopLeftover(ctx context.Context, pid int, data string) error {
	err := syscall.Kill(pid, syscall.SIGINT)
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop an earlier server: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	for isServerOf(ctx, pid, data) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("stop an earlier server: %w", ctx.Err())
		case <-time.After(pollInterval):
		}
	}
	return nil
}
