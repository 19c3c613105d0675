// Package documents holds the pages of docs/ and the README to the repository: what the code
// cites is there, and what the pages link to as well. It tests; nothing imports it.
package documents

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the repository, from this folder.
const root = "../.."

// readmeLimit is in bytes: who opens the README wants to begin, not to read.
const readmeLimit = 12 << 10

func TestREADME_isShort(t *testing.T) {
	t.Parallel()
	if size := len(read(t, "README.md")); size >= readmeLimit {
		t.Errorf("README.md has %d bytes; below %d belong there, the rest in docs/", size, readmeLimit)
	}
}

// Whoever keeps a backup is told of every key without which it is of no use.
func TestBackup_namesTheKeysToKeep(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"docs/operations.md", "docs/security.md", "deploy/backup/backup.sh", "deploy/backup/restore.sh"} {
		text := unwrapped(read(t, page))
		if !regexp.MustCompile("`?ENCRYPTION_KEYS`?, `?HASH_SECRET`? and `?EVIDENCE_KEYS").MatchString(text) {
			t.Errorf("%s does not name ENCRYPTION_KEYS, HASH_SECRET and EVIDENCE_KEYS together", page)
		}
	}
}

// cited finds "contract.md 4.1", "pui.md section 3", "(contract, section 5)" and the further
// numbers of an enumeration.
var (
	cited  = regexp.MustCompile(`\b(contract|pui|architecture)(?:\.md,?|,) (?:sections? )?((?:S-)?\d+(?:\.\d+)?(?:(?:, | and )(?:S-)?\d+(?:\.\d+)?)*)(?:, rule (\d+))?`)
	number = regexp.MustCompile(`(?:S-)?\d+(?:\.\d+)?`)
)

func TestCitations_exist(t *testing.T) {
	t.Parallel()
	places := map[string]map[string]bool{
		"contract": placesOf(t, "docs/contract.md"), "pui": placesOf(t, "docs/pui.md"), "architecture": placesOf(t, "docs/architecture.md"),
	}
	found := 0
	eachSource(t, func(path, text string) {
		for _, match := range cited.FindAllStringSubmatch(unwrapped(text), -1) {
			page, numbers, rule := match[1], match[2], match[3]
			for _, place := range number.FindAllString(numbers, -1) {
				found++
				if !places[page][place] {
					t.Errorf("%s cites %q: docs/%s.md has no %s", path, match[0], page, place)
				}
			}
			if rule != "" && !places[page]["rule "+rule] {
				t.Errorf("%s cites %q: docs/%s.md has no rule %s", path, match[0], page, rule)
			}
		}
	})
	if found < 100 {
		t.Errorf("only %d citations were found: the expression no longer fits the comments", found)
	}
}

// unwrapped joins the lines of a comment, so that a citation may be broken between two.
func unwrapped(text string) string {
	return regexp.MustCompile(`\n\s*(?://|#|--|\*)?\s*`).ReplaceAllString(text, " ")
}

var heading = regexp.MustCompile(`(?m)^#{2,3} (\d+(?:\.\d+)?)[. ]|^\| (S-\d+) \||^(\d+)\. `)

// placesOf gives what a page numbers: its sections, requirements ("S-01") and rules ("rule 12").
func placesOf(t *testing.T, page string) map[string]bool {
	t.Helper()
	places := map[string]bool{}
	for _, match := range heading.FindAllStringSubmatch(read(t, page), -1) {
		switch {
		case match[1] != "":
			places[match[1]] = true
		case match[2] != "":
			places[match[2]] = true
		default:
			places["rule "+match[3]] = true
		}
	}
	return places
}

// eachSource hands over what people write and comment.
func eachSource(t *testing.T, look func(path, text string)) {
	t.Helper()
	for _, folder := range []string{"proto", "services", "gateway", "deploy"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && (entry.Name() == "gen" || entry.Name() == "node_modules" || entry.Name() == "third_party") {
				return filepath.SkipDir
			}
			switch filepath.Ext(path) {
			case ".go", ".proto", ".sql", ".sh", ".yml", ".yaml", ".mjs":
				content, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				look(path, string(content))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

var link = regexp.MustCompile(`\]\(([A-Za-z0-9_./:-]+)(?:#[^)]*)?\)`)

func TestLinks_resolve(t *testing.T) {
	t.Parallel()
	for _, page := range pages(t) {
		for _, match := range link.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			_, err := os.Stat(filepath.Join(root, filepath.Dir(page), match[1]))
			if err != nil {
				t.Errorf("%s links to %s, which is not there", page, match[1])
			}
		}
	}
}

func read(t *testing.T, page string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
