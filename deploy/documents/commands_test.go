package documents

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	target       = regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`)
	making       = regexp.MustCompile("(?m)(?:^|`)make ([a-z][a-z0-9-]*)")
	inRepository = regexp.MustCompile("(?:^|[\\s`(])((?:deploy|gateway|services|proto|docs)/[A-Za-z0-9_./-]*[A-Za-z0-9_])")
	// What kubectl calls a Deployment.
	deployment = regexp.MustCompile(`^deploy/(registros|integracion|gateway)$`)
)

// What the pages have somebody type is there: a command that was renamed would be found out in
// the middle of an installation.
func TestCommands_exist(t *testing.T) {
	t.Parallel()
	targets := map[string]bool{}
	for _, match := range target.FindAllStringSubmatch(read(t, "Makefile"), -1) {
		targets[match[1]] = true
	}
	found := 0
	for _, page := range pages(t) {
		text := read(t, page)
		for _, match := range making.FindAllStringSubmatch(text, -1) {
			found++
			if !targets[match[1]] {
				t.Errorf("%s: there is no make %s", page, match[1])
			}
		}
		for _, match := range inRepository.FindAllStringSubmatch(text, -1) {
			found++
			if deployment.MatchString(match[1]) {
				continue
			}
			_, err := os.Stat(filepath.Join(root, match[1]))
			if err != nil {
				t.Errorf("%s names %s, which is not there", page, match[1])
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d commands and paths were found: the expressions no longer fit the pages", found)
	}
}

// pages are README.md and all below docs/, from the root.
func pages(t *testing.T) []string {
	t.Helper()
	all := []string{"README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/decisions/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range found {
			page, err := filepath.Rel(root, each)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, page)
		}
	}
	return all
}
