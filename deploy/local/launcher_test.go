package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/pgcluster"
	"github.com/enlace-iis/enlace/deploy/local/stack"
)

// launcherVariable makes the test binary play the launcher, so that signals and exit statuses are the real ones.
const launcherVariable = "LOCAL_TEST_LAUNCHER"

// built holds the stand-ins. A launcher that finds them where it puts its own does not link them again.
var built string

func TestMain(m *testing.M) {
	if os.Getenv(launcherVariable) != "" {
		os.Exit(dispatch(os.Args[1:]))
	}
	code, err := runWithBuilt(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runWithBuilt(m *testing.M) (int, error) {
	var err error
	built, err = os.MkdirTemp("", "local-test-bin-")
	if err != nil {
		return 0, err
	}
	err = build(context.Background(), "testdata/repo", built, func(string) {})
	if err != nil {
		return 0, errors.Join(err, os.RemoveAll(built))
	}
	return m.Run(), os.RemoveAll(built)
}

// localDir is a LOCAL_DIR that the account of PostgreSQL can enter, unlike t.TempDir when root runs the test.
func localDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "local-test-")
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(os.Chmod(dir, 0o755), os.CopyFS(filepath.Join(dir, "bin"), os.DirFS(built)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := errors.Join(
			pgcluster.Remove(context.Background(), filepath.Join(dir, stack.PostgresFolder)),
			os.RemoveAll(dir),
		)
		if err != nil {
			t.Error(err)
		}
	})
	return dir
}

// launched is a launcher that runs the stand-ins of testdata/repo.
type launched struct {
	cmd    *exec.Cmd
	output *bufio.Reader
	errors bytes.Buffer
}

func launch(t *testing.T, dir string, env []string, args ...string) *launched {
	t.Helper()
	l := &launched{cmd: exec.Command(os.Args[0], args...)}
	l.cmd.Dir = "testdata/repo"
	l.cmd.Env = append(os.Environ(), launcherVariable+"=1", "LOCAL_DIR="+dir, "HTTP_PORT=0", testDatabaseURL+"=")
	l.cmd.Env = append(l.cmd.Env, env...)
	l.cmd.Stderr = &l.errors
	stdout, err := l.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	l.output = bufio.NewReader(stdout)
	err = l.cmd.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// For a test that ended early; after a test that waited both only say so.
		_ = l.cmd.Process.Signal(syscall.SIGTERM)
		_ = l.cmd.Wait()
	})
	return l
}

// awaitLine reads the launcher's output until a line has the text.
func (l *launched) awaitLine(t *testing.T, text string) {
	t.Helper()
	var seen strings.Builder
	for {
		line, err := l.output.ReadString('\n')
		seen.WriteString(line)
		if err != nil {
			_ = l.cmd.Wait() // what it printed says more than its status
			t.Fatalf("no line with %q: %v\n%s%s", text, err, &seen, &l.errors)
		}
		if strings.Contains(line, text) {
			return
		}
	}
}

func (l *launched) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	err := l.cmd.Process.Signal(sig)
	if err != nil {
		t.Fatal(err)
	}
}

// end waits for the end of the launcher and returns its exit status.
func (l *launched) end(t *testing.T) int {
	t.Helper()
	_, err := io.Copy(io.Discard, l.output)
	if err != nil {
		t.Fatal(err)
	}
	err = l.cmd.Wait()
	failure, ok := errors.AsType[*exec.ExitError](err)
	if err != nil && !ok {
		t.Fatal(err)
	}
	if ok {
		return failure.ExitCode()
	}
	return 0
}

const ready = "webhooks/api-keys"

func journal(t *testing.T, dir string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(content)), "\n")
}

// pidOf returns the process id of a stand-in.
func pidOf(t *testing.T, dir, name string) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name+".environment"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(content), "\nPID=")
	pid, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// awaitGone waits until the process has ended.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for syscall.Kill(pid, 0) == nil && !isZombie(pid) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d still runs", pid)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func isZombie(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
