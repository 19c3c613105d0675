package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The program of the tests is a Go program like any other.
func TestRun(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	first, second := written(t, program), written(t, program)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the same program has another list:\n%s", diff)
	}
	if first.Format != "CycloneDX" || first.SpecVersion != "1.6" || first.Metadata.Component.Name != filepath.Base(program) || first.Metadata.Component.Version != "v2" {
		t.Errorf("it is %s %s of %s", first.Format, first.SpecVersion, first.Metadata.Component.Name)
	}
	for _, name := range []string{"std", "github.com/google/licensecheck"} {
		i := slices.IndexFunc(first.Components, func(c component) bool { return c.Name == name })
		if i < 0 {
			t.Errorf("it lacks %s", name)
			continue
		}
		c := first.Components[i]
		want := component{
			Type: "library", Ref: c.URL, Name: name, Version: c.Version, URL: "pkg:golang/" + name + "@" + c.Version,
			Licences: []licenceItem{{Licence: licenceID{ID: "BSD-3-Clause"}}},
		}
		if diff := cmp.Diff(want, c); diff != "" || c.Version == "" {
			t.Error(diff)
		}
	}
}

func TestRun_refusesWhatIsNoProgram(t *testing.T) {
	t.Parallel()
	err := run(t.TempDir(), "", nil, []string{"main.go"})
	if err == nil {
		t.Error("no error")
	}
}

func TestReadLicences(t *testing.T) {
	t.Parallel()
	mit := mitText(t)
	for name, tt := range map[string]struct {
		files   map[string]string
		want    []string
		allowed bool
	}{
		"MIT":              {map[string]string{"LICENSE": mit, "main.go": "package main"}, []string{"MIT"}, true},
		"another spelling": {map[string]string{"Licence.md": mit}, []string{"MIT"}, true},
		"one too many":     {map[string]string{"LICENSE": mit, "COPYING": "GNU GENERAL PUBLIC LICENSE, version 3"}, []string{"MIT", "unknown"}, false},
		"beside much else": {map[string]string{"LICENSE": mit + strings.Repeat("You owe us a word for each of these. ", 100)}, []string{"MIT", "unknown"}, false},
		"a source file":    {map[string]string{"LICENSE": mit, "license.go": "package main"}, []string{"MIT"}, true},
		"words of its own": {map[string]string{"LICENSE": "All rights reserved. Ask us."}, []string{"unknown"}, false},
		"none":             {map[string]string{"README.md": mit}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for file, text := range tt.files {
				err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600)
				if err != nil {
					t.Fatal(err)
				}
			}
			got, err := readLicences(folder)
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
			if p := (part{Licences: got}); p.allowed() != tt.allowed {
				t.Errorf("allowed = %t", p.allowed())
			}
		})
	}
}

// mitText is the licence that the text of redoc's begins with.
func mitText(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("../../gateway/internal/docs/assets/redoc.LICENSE.txt")
	if err != nil {
		t.Fatal(err)
	}
	const last = "SOFTWARE."
	text, _, found := strings.Cut(string(content), last)
	if !found {
		t.Fatal("redoc has another licence")
	}
	return text + last
}

func TestReadProvenance(t *testing.T) {
	t.Parallel()
	parts, err := readProvenance("../../" + provenance)
	if err != nil {
		t.Fatal(err)
	}
	licences := map[string]string{}
	for _, p := range parts {
		licences[p.Name] = p.Licences[0]
		if p.URL != "pkg:npm/"+p.Name+"@"+p.Version || p.Version == "" {
			t.Errorf("%+v", p)
		}
	}
	if diff := cmp.Diff(map[string]string{"swagger-ui-dist": "Apache-2.0", "redoc": "MIT"}, licences); diff != "" {
		t.Error(diff)
	}
	_, err = readProvenance("main.go")
	if err == nil {
		t.Error("a file that tells of nothing is believed")
	}
}

func written(t *testing.T, program string) bom {
	t.Helper()
	folder := t.TempDir()
	err := run(folder, "v2", nil, []string{program})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(folder, filepath.Base(program)+".cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var made bom
	err = json.Unmarshal(content, &made)
	if err != nil {
		t.Fatal(err)
	}
	return made
}
