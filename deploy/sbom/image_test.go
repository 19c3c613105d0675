package main

import (
	"debug/buildinfo"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What lies beneath a program in an image is on its list, and nobody asks for its licences.
func TestImageParts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	packages := filepath.Join(folder, "var/lib/dpkg/status.d")
	err := os.MkdirAll(packages, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"tzdata":         "Package: tzdata\nVersion: 2026a-0+deb12u1\nArchitecture: all\nDescription: time zones\n",
		"tzdata.md5sums": "0123456789abcdef  usr/share/zoneinfo/UTC\n",
	} {
		err = os.WriteFile(filepath.Join(packages, name), []byte(content), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	parts, err := imageParts("base.example/static:nonroot@sha256:0f", folder)
	if err != nil {
		t.Fatal(err)
	}
	want := []component{
		{Type: "container", Ref: "base.example/static@nonroot@sha256:0f", Name: "base.example/static", Version: "nonroot@sha256:0f"},
		{
			Type: "library", Ref: "pkg:deb/debian/tzdata@2026a-0+deb12u1?arch=all", Name: "tzdata", Version: "2026a-0+deb12u1",
			URL: "pkg:deb/debian/tzdata@2026a-0+deb12u1?arch=all",
		},
	}
	if diff := cmp.Diff(want, document("x", "v2", parts).Components); diff != "" {
		t.Error(diff)
	}
	for _, p := range parts {
		if !p.allowed() {
			t.Errorf("%s is refused", p.Name)
		}
	}
}

// A program that somebody else built is listed as it says itself, with what a module was replaced by.
func TestTheirModules(t *testing.T) {
	t.Parallel()
	parts := theirModules(&buildinfo.BuildInfo{
		Main: debug.Module{Path: "their.example/caddy", Version: "v2.11.9"},
		Deps: []*debug.Module{{Path: "a.example/x", Version: "v1.0.0", Replace: &debug.Module{Path: "b.example/x", Version: "v1.0.1"}}},
	})
	want := []part{
		{Name: "b.example/x", Version: "v1.0.1", URL: "pkg:golang/b.example/x@v1.0.1", Theirs: true},
		{Name: "their.example/caddy", Version: "v2.11.9", URL: "pkg:golang/their.example/caddy@v2.11.9", Theirs: true},
	}
	if diff := cmp.Diff(want, parts); diff != "" {
		t.Error(diff)
	}
}
