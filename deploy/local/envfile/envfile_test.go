package envfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var awkward = []Entry{
	{"PLAIN", "value"},
	{"EMPTY", ""},
	{"QUOTES", `it's "quoted" '' \' end'`},
	{"ONE_QUOTE", "'"},
	{"SHELL", "$HOME `id` $(id) \\ ! # & ; *"},
	{"SPANISH", "contraseña = ñandú"},
	{"URL", "postgres://a:b@127.0.0.1:1/x?y=z&w=1"},
}

func TestWrite_readBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "demo.env")
	err := Write(path, awkward)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, e := range awkward {
		want[e.Key] = e.Value
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWrite_shellsReadTheSame(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "demo.env")
	err := Write(path, awkward)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range awkward {
		got, err := exec.Command("/bin/sh", "-c", `. "$1"; printf %s "$`+e.Key+`"`, "sh", path).Output()
		if err != nil || string(got) != e.Value {
			t.Errorf("%s = %q, %v, want %q", e.Key, got, err, e.Value)
		}
	}
}

func TestWrite_replacesPrivately(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "demo.env")
	err := os.WriteFile(path, []byte("OLD='1'\n"), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	err = Write(path, []Entry{{"NEW", "2"}})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil || string(content) != "NEW='2'\n" {
		t.Errorf("content = %q, %v", content, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v", info.Mode(), err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("files = %v, %v, want the one", files, err)
	}
}

func TestWrite_refuses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "demo.env")
	for _, e := range []Entry{{"", "x"}, {"1A", "x"}, {"A B", "x"}, {"A", "two\nlines"}, {"A", "nul\x00"}} {
		err := Write(path, []Entry{e})
		if err == nil {
			t.Errorf("%q is written", e)
		}
	}
	_, err := os.Stat(path)
	if !os.IsNotExist(err) {
		t.Error("a refused write leaves a file")
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	got, err := Read(filepath.Join(t.TempDir(), "absent.env"))
	if err != nil || len(got) != 0 {
		t.Errorf("absent file: %v, %v", got, err)
	}
	got, err = parse([]byte("# comment\n\nA='1'\r\n"))
	if err != nil || got["A"] != "1" {
		t.Errorf("comment and CRLF: %v, %v", got, err)
	}
	for _, bad := range []string{"A=1", "A='1", "A='1'2", "='1'", "A", "A='1'2'"} {
		_, err = parse([]byte("B='2'\n" + bad))
		if err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: error = %v, want one that names the line", bad, err)
		}
	}
}
