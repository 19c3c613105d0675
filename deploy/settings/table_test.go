package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/deploy/settings/declared"
)

const sample = `package sample

type Config struct {
	// Addr is where it listens.
	Addr string ` + "`env:\"ADDR\" envDefault:\":1\"`" + `
	// Secret opens | closes what Addr hears.
	Secret string ` + "`env:\"SECRET,required,notEmpty\"`" + `
	// Name is never empty.
	Name   string ` + "`env:\"NAME,required,notEmpty\"`" + `
	Inner  inner
	Hidden string ` + "`env:\"-\"`" + `
}

type inner struct {
	// Size is in bytes.
	Size int ` + "`env:\"SIZE\"`" + `
}
`

func TestTable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := os.WriteFile(filepath.Join(dir, "config.go"), []byte(sample), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := declared.Settings(dir, []declared.Program{{Name: "one", Dir: "."}, {Name: "two", Dir: "."}})
	if err != nil {
		t.Fatal(err)
	}
	got := string(table(settings))
	for _, line := range []string{
		"| `ADDR` | `:1` | one, two | `ADDR` is where it listens. |",
		"| `SECRET` | required | one, two | `SECRET` opens \\| closes what `ADDR` hears. |",
		"| `NAME` | required | one, two | `NAME` is never empty. |",
		"| `SIZE` |  | one, two | `SIZE` is in bytes. |",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("the table lacks %q:\n%s", line, got)
		}
	}
	if strings.Contains(got, "Hidden") {
		t.Error("a field that is no setting is in the table")
	}
}

// What several programs read, such as what an institution may have in hand, is one setting.
func TestSettings_haveOneDefault(t *testing.T) {
	t.Parallel()
	settings, err := declared.Settings("../..", declared.Programs)
	if err != nil {
		t.Fatal(err)
	}
	defaults := map[string]string{}
	var retentions int
	for _, s := range settings {
		if s.Variable == "CASE_RETENTION" {
			retentions++
		}
		known, twice := defaults[s.Variable]
		if defaults[s.Variable] = s.Default; twice && s.Default != known && !strings.HasSuffix(s.Variable, "_ADDR") {
			t.Errorf("%s is %q in one program and %q in another", s.Variable, known, s.Default)
		}
	}
	if retentions != 2 {
		t.Errorf("%d programs read CASE_RETENTION, and two keep personal data of a closed search", retentions)
	}
}
