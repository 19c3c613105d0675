// Command settings writes docs/settings.md, the table of all settings, from the structs that
// the programs read them with: names and defaults are the tags', meanings the comments of
// the fields. Run from the repository's root; with -check it only tells whether the page is
// current.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/enlace-iis/enlace/deploy/settings/declared"
)

const page = "docs/settings.md"

// heading is what the page says above its table.
//
//go:embed heading.md
var heading []byte

func main() {
	check := flag.Bool("check", false, "fail when the page is not current, write nothing")
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
	current := append(bytes.Clone(heading), table(settings)...)
	if !check {
		return os.WriteFile(page, current, 0o644) //nolint:gosec // a page for everybody
	}
	present, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	if !bytes.Equal(present, current) {
		return errors.New(page + " is not current: run make generate")
	}
	return nil
}
