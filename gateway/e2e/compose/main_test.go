//go:build compose

package compose

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// set is what all tests look at.
var set *conjunto

// passed are the lines that the run ends with, also one that failed.
var passed []string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "enlace-compose-")
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	root, err := filepath.Abs("../../..")
	if err != nil {
		return failed(err)
	}
	set, err = newConjunto(root, folder)
	if err != nil {
		return failed(err)
	}
	began := time.Now()
	err = set.up()
	if err != nil {
		return failed(errors.Join(err, set.lastWords(), set.down()))
	}
	pass("built and started in %s", time.Since(began).Round(time.Second))
	code := m.Run()
	if code != 0 {
		err = set.lastWords()
	}
	err = errors.Join(err, set.down())
	for _, line := range passed {
		fmt.Println("compose-check:", line)
	}
	if err != nil {
		return failed(err)
	}
	return code
}

// pass keeps a line for the end.
func pass(format string, args ...any) {
	passed = append(passed, fmt.Sprintf(format, args...))
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// lastWords prints the ends of all logs, for whoever looks into a failure.
func (c *conjunto) lastWords() error {
	logs, err := c.compose(context.Background(), "", "logs", "--no-color", "--tail", "30")
	fmt.Fprintf(os.Stderr, "%s\n", logs)
	return err
}
