// Command settings writes the table of all settings into the README, from the structs that
// the programs read them with: names and defaults are the tags', meanings the comments of
// the fields. Run from the repository's root; with -check it only tells whether the table
// is current.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/enlace-iis/enlace/deploy/settings/declared"
)

const (
	readme = "README.md"
	begin  = "<!-- settings: written by make generate -->\n"
	end    = "<!-- end of settings -->\n"
)

func main() {
	check := flag.Bool("check", false, "fail when the table is not current, write nothing")
	flag.Parse()
	err := run(*check)
	if err != nil {
		fmt.Fprintln(os.Stderr, "settings:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	settings, err := declared.Settings(".", declared.Programs)
	if err != nil {
		return err
	}
	present, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	current, err := insert(present, table(settings))
	if err != nil {
		return err
	}
	if bytes.Equal(present, current) {
		return nil
	}
	if check {
		return errors.New("the table in README.md is not current: run make generate")
	}
	return os.WriteFile(readme, current, 0o644) //nolint:gosec // a page for everybody
}

// insert puts the table between the two marks.
func insert(text, table []byte) ([]byte, error) {
	before, rest, found := bytes.Cut(text, []byte(begin))
	_, after, ended := bytes.Cut(rest, []byte(end))
	if !found || !ended {
		return nil, errors.New("README.md lacks the marks of the table")
	}
	return bytes.Join([][]byte{before, []byte(begin), table, []byte(end), after}, nil), nil
}
