// Package migrations holds the check of the rule that a committed migration stays as it is and new ones come after it.
package migrations

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const folder = "services/una/migrations/"

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(r repository)
		// wantNew and wantComplaint are part of what is printed; empty wants none.
		wantNew       string
		wantComplaint string
	}{
		"nothing":              {change: func(repository) {}},
		"a new one":            {change: func(r repository) { r.write(folder+"00003_c.sql", "c") }, wantNew: folder + "00003_c.sql"},
		"a new one, committed": {change: func(r repository) { r.write(folder+"00003_c.sql", "c"); r.commit() }, wantNew: folder + "00003_c.sql"},
		"the first of another service": {
			change: func(r repository) { r.write("services/dos/migrations/00001_a.sql", "a") }, wantNew: "services/dos/migrations/00001_a.sql",
		},
		"a changed one":            {change: func(r repository) { r.write(folder+"00001_a.sql", "otra") }, wantComplaint: "00001_a.sql is not as it was"},
		"a changed one, committed": {change: func(r repository) { r.write(folder+"00001_a.sql", "otra"); r.commit() }, wantComplaint: "00001_a.sql is not as it was"},
		"a renumbered one":         {change: func(r repository) { r.git("mv", folder+"00002_b.sql", folder+"00004_b.sql") }, wantNew: "00004_b.sql", wantComplaint: "00002_b.sql is not as it was"},
		"one that is gone":         {change: func(r repository) { r.remove(folder + "00002_b.sql") }, wantComplaint: "00002_b.sql is not as it was"},
		"one in between":           {change: func(r repository) { r.write(folder+"00001_aa.sql", "c") }, wantNew: "00001_aa.sql", wantComplaint: "numbered after 00002_b.sql"},
		"a file beside them":       {change: func(r repository) { r.write(folder+"doc.go", "package migrations") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			first := r.git("rev-parse", "HEAD")
			tc.change(r)
			news, complaints, err := r.check(first)
			if (err != nil) != (tc.wantComplaint != "") {
				t.Errorf("it ended with %v and %q", err, complaints)
			}
			wantPart(t, "new ones", news, tc.wantNew)
			wantPart(t, "complaints", complaints, tc.wantComplaint)
		})
	}
}

func TestCheck_unknownRevision(t *testing.T) {
	t.Parallel()
	_, complaints, err := newRepository(t).check("HEAD~1")
	if err == nil {
		t.Error("it is content")
	}
	wantPart(t, "complaints", complaints, "no such revision here: HEAD~1")
}

func wantPart(t *testing.T, what, text, part string) {
	t.Helper()
	if part == "" && text != "" || !strings.Contains(text, part) {
		t.Errorf("%s: %q, want %q", what, text, part)
	}
}

// repository is one with two committed migrations.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	r := repository{t: t, dir: t.TempDir()}
	r.git("init", "--quiet")
	r.write(folder+"00001_a.sql", "a")
	r.write(folder+"00002_b.sql", "b")
	r.commit()
	return r
}

func (r repository) commit() {
	r.t.Helper()
	r.git("add", "--all")
	r.git("-c", "user.name=n", "-c", "user.email=n@example.com", "-c", "commit.gpgsign=false", "commit", "--quiet", "--message", "m")
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	command := exec.CommandContext(r.t.Context(), "git", args...)
	command.Dir = r.dir
	output, err := command.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, output)
	}
	return strings.TrimSpace(string(output))
}

func (r repository) write(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err != nil {
		r.t.Fatal(err)
	}
	err = os.WriteFile(path, []byte(content), 0o600)
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r repository) remove(name string) {
	r.t.Helper()
	err := os.Remove(filepath.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r repository) check(revision string) (news, complaints string, err error) {
	r.t.Helper()
	script, err := filepath.Abs("check.sh")
	if err != nil {
		r.t.Fatal(err)
	}
	command := exec.CommandContext(r.t.Context(), script, revision)
	command.Dir = r.dir
	var told strings.Builder
	command.Stderr = &told
	output, err := command.Output()
	return string(output), told.String(), err
}
