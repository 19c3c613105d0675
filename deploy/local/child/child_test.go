package child

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shell starts a shell script and returns it with what it prints. The script may end only after its first line is read.
func shell(t *testing.T, spec Spec, script string) (*Process, *bufio.Reader) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	spec.Name, spec.Path, spec.Args = "script", "/bin/sh", []string{"-c", script}
	spec.Env, spec.Output = os.Environ(), writer
	p, err := Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := errors.Join(p.Kill(), reader.Close())
		if err != nil {
			t.Error(err)
		}
	})
	err = writer.Close()
	if err != nil {
		t.Fatal(err)
	}
	return p, bufio.NewReader(reader)
}

func line(t *testing.T, output *bufio.Reader) string {
	t.Helper()
	text, err := output.ReadString('\n')
	if err != nil {
		t.Fatalf("read line: %v", err)
	}
	return strings.TrimSpace(text)
}

func TestProcess_Stop(t *testing.T) {
	t.Parallel()
	p, output := shell(t, Spec{}, `trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done`)
	line(t, output)
	err := p.Stop(t.Context(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if line(t, output) != "bye" || p.Err() != nil || p.Running() {
		t.Errorf("the process did not end in order: %v", p.Err())
	}
	err = p.Stop(t.Context(), time.Minute)
	if err != nil {
		t.Errorf("a second stop: %v", err)
	}
}

func TestProcess_StopSignal(t *testing.T) {
	t.Parallel()
	p, output := shell(t, Spec{StopSignal: syscall.SIGINT}, `trap 'echo fast; exit 0' INT; echo up; while :; do sleep 0.05; done`)
	line(t, output)
	err := p.Stop(t.Context(), time.Minute)
	if err != nil || line(t, output) != "fast" {
		t.Errorf("stop: %v", err)
	}
}

func TestProcess_StopKillsTheDeafAndItsGroup(t *testing.T) {
	t.Parallel()
	p, output := shell(t, Spec{}, `trap '' TERM; sleep 600 & echo $!; wait; sleep 600`)
	grandchild := line(t, output)
	err := p.Stop(t.Context(), 10*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	awaitGone(t, grandchild)
}

func TestProcess_StopEndsWithContext(t *testing.T) {
	t.Parallel()
	p, output := shell(t, Spec{}, `trap '' TERM; echo up; while :; do sleep 0.05; done`)
	line(t, output)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := p.Stop(ctx, time.Hour)
	if err != nil || p.Running() {
		t.Errorf("stop: %v, running %v", err, p.Running())
	}
}

func TestProcess_isLeaderOfItsGroup(t *testing.T) {
	t.Parallel()
	p, output := shell(t, Spec{}, `echo up; exec sleep 600`)
	line(t, output)
	group, err := syscall.Getpgid(p.PID())
	if err != nil || group != p.PID() {
		t.Errorf("group = %d, %v, want %d", group, err, p.PID())
	}
}

func TestStart_missingProgram(t *testing.T) {
	t.Parallel()
	_, err := Start(Spec{Name: "registros", Path: "/no/such/program"})
	if err == nil || !strings.Contains(err.Error(), "registros") {
		t.Errorf("error = %v, want one that names the process", err)
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	sh := func(script string) Spec { return Spec{Name: "tool", Path: "/bin/sh", Args: []string{"-c", script}} }
	answer, err := Output(t.Context(), sh("cat; echo noise >&2"), strings.NewReader("hello"))
	if err != nil || string(answer) != "hello" {
		t.Errorf("output = %q, %v", answer, err)
	}
	_, err = Output(t.Context(), sh("seq 9 >&2; exit 3"), nil)
	if err == nil || !strings.Contains(err.Error(), "exit status 3: 5; 6; 7; 8; 9") {
		t.Errorf("error = %v, want the last lines of standard error", err)
	}
	_, err = Output(t.Context(), sh("exit 3"), nil)
	if err == nil || err.Error() != "run tool: exit status 3" {
		t.Errorf("error = %v", err)
	}
}

func TestOutput_endsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := Output(ctx, Spec{Name: "tool", Path: "/bin/sh", Args: []string{"-c", "exec sleep 600"}}, nil)
	if err == nil {
		t.Error("a program that was cut short counts as done")
	}
}

// awaitGone waits until the process has ended; one that nobody reaped counts as ended.
func awaitGone(t *testing.T, pid string) {
	t.Helper()
	number, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	for !ended(number) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d still runs", number)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func ended(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
