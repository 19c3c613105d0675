//go:build linux

// Package readme does what README.md tells a newcomer: it runs the first command, pastes the
// lines of the page into a shell one block after the other, and holds what comes back
// against what the page shows. It tests; nothing imports it.
package readme

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/pgcluster"
	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// ready is in the guide that ends the start.
const ready = "Enlace está listo"

func TestREADME_showsWhatComesBack(t *testing.T) {
	root, err := harness.Repository()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := blocksOf(string(page))
	local := localDir(t)
	makeRun(t, root, local)

	shown := 0
	// One shell after the other knows what demo.env says, as the reader's one shell does.
	credentials := ". " + filepath.Join(local, "demo.env") + "\n"
	for _, block := range blocks {
		if strings.Contains(block.commands, "make ") || strings.Contains(block.commands, ".local/demo.env") {
			continue
		}
		output := paste(t, root, credentials+block.commands)
		if block.output == "" {
			continue
		}
		shown++
		compare(t, block, output)
	}
	if shown < 4 {
		t.Errorf("README.md shows %d answers; the lines that find them no longer fit the page", shown)
	}
}

// block is a block of commands and the block of output right behind it, if there is one.
type block struct {
	commands, output string
}

var fences = regexp.MustCompile("(?s)```sh\n(.*?)```(?:\n```json\n(.*?)```)?")

func blocksOf(page string) []block {
	var blocks []block
	for _, match := range fences.FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, block{commands: match[1], output: match[2]})
	}
	return blocks
}

// localDir can be entered by PostgreSQL's account, unlike t.TempDir when root runs the test.
func localDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "enlace-readme-")
	if err != nil {
		t.Fatal(err)
	}
	err = os.Chmod(dir, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := pgcluster.Remove(t.Context(), filepath.Join(dir, stack.PostgresFolder))
		if err != nil {
			t.Log(err)
		}
		_ = os.RemoveAll(dir)
	})
	return dir
}

// makeRun is the first of the README's two commands; it stops it as Ctrl-C does.
func makeRun(t *testing.T, root, local string) {
	t.Helper()
	cmd := exec.Command("make", "run")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "LOCAL_DIR="+local, "HTTP_PORT=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = cmd.Start()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait() // interrupted, which is no success
	})
	var seen strings.Builder
	for {
		line, err := lines.ReadString('\n')
		seen.WriteString(line)
		if err != nil {
			t.Fatalf("make run ended: %v\n%s", err, &seen)
		}
		if strings.Contains(line, ready) {
			return
		}
	}
}

func paste(t *testing.T, root, commands string) []byte {
	t.Helper()
	shell := exec.Command("bash", "-e", "-c", commands)
	shell.Dir = root
	var complaints bytes.Buffer
	shell.Stderr = &complaints
	output, err := shell.Output()
	if err != nil {
		t.Errorf("%s\nfails: %v\n%s%s", commands, err, output, &complaints)
	}
	return output
}

func compare(t *testing.T, b block, output []byte) {
	t.Helper()
	var want, got any
	err := json.Unmarshal([]byte(b.output), &want)
	if err != nil {
		t.Fatalf("README.md shows what is no JSON: %v\n%s", err, b.output)
	}
	err = json.Unmarshal(output, &got)
	if err != nil {
		t.Errorf("%s\ngives %s", b.commands, output)
		return
	}
	if !reflect.DeepEqual(steady(want), steady(got)) {
		t.Errorf("%s\ngives  %s\nshown: %s", b.commands, output, b.output)
	}
}

// passing are the values that differ each time: ids of ours, instants, addresses, durations.
var passing = regexp.MustCompile(`^(?:[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[0-9:.]+Z|https?://.*)$`)

func steady(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key := range value {
			value[key] = steady(value[key])
			if strings.HasSuffix(key, "_ms") {
				value[key] = "some time"
			}
		}
		return value
	case []any:
		for i := range value {
			value[i] = steady(value[i])
		}
		return value
	case string:
		if passing.MatchString(value) {
			return "differs"
		}
	}
	return value
}
