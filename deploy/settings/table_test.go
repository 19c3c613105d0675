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

// Both services keep the personal data of a closed search for one time: it is one setting.
func TestSettings_caseRetentionIsOne(t *testing.T) {
	t.Parallel()
	settings, err := declared.Settings("../..", declared.Programs)
	if err != nil {
		t.Fatal(err)
	}
	defaults := map[string]string{}
	for _, s := range settings {
		if s.Variable == "CASE_RETENTION" {
			defaults[s.Program] = s.Default
		}
	}
	if len(defaults) != 2 || defaults["registros"] != defaults["integracion"] {
		t.Errorf("the defaults of CASE_RETENTION are %v", defaults)
	}
}
