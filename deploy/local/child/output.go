package child

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// outputGrace is how long a one-off program has to end once its context has.
const outputGrace = 5 * time.Second

// Output runs a program to its end and returns what it wrote to its standard output. The error of a program that fails
// carries the end of what it wrote to its standard error.
func Output(ctx context.Context, spec Spec, stdin io.Reader) ([]byte, error) {
	cmd := exec.CommandContext(ctx, spec.Path, spec.Args...) //nolint:gosec // running programs is what this package is for
	prepare(cmd, spec)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &stdout, &stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = outputGrace
	err := startOnLastingThread(cmd)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", spec.Name, err)
	}
	err = cmd.Wait()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w%s", spec.Name, err, complaint(stderr.String()))
	}
	return stdout.Bytes(), nil
}

// complaint shortens what a program said to its last lines, which name the cause.
func complaint(text string) string {
	const lines = 5
	all := strings.Split(strings.TrimSpace(text), "\n")
	if len(all) == 1 && all[0] == "" {
		return ""
	}
	return ": " + strings.Join(all[max(0, len(all)-lines):], "; ")
}
