package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/licensecheck"
)

// ours is the beginning of every module that is part of Enlace itself.
const ours = "github.com/enlace-iis/enlace/"

// provenance tells of the libraries for browsers that the gateway serves.
const provenance = "gateway/internal/docs/assets/PROVENANCE"

// allowed are licences under which a program may be given to institutions as it is: they ask for
// no more than their own text beside it, and MPL-2.0 for the source of its own files, which are
// used as they are published.
var allowed = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0"}

// part is something of others within a program.
type part struct {
	Name, Version string
	URL           string // as package-url has it; an image has none
	Licences      []string
	// Theirs tells that somebody else built it, so that its licences are theirs to tell.
	Theirs bool
}

func (p part) kind() string {
	if p.URL == "" {
		return "container"
	}
	return "library"
}

func (p part) ref() string {
	return cmp.Or(p.URL, p.Name+"@"+p.Version)
}

func (p part) allowed() bool {
	return p.Theirs || len(p.Licences) > 0 && !slices.ContainsFunc(p.Licences, func(licence string) bool {
		return !slices.Contains(allowed, licence)
	})
}

func partsOf(program string) ([]part, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	version := strings.TrimPrefix(strings.Fields(info.GoVersion)[0], "go")
	parts := []part{{Name: "std", Version: version, URL: golang + "std@" + version, Licences: []string{"BSD-3-Clause"}}}
	if !strings.HasPrefix(info.Main.Path, ours) {
		return append(parts, theirModules(info)...), nil
	}
	var modules []string
	for _, module := range info.Deps {
		if module.Replace != nil && !strings.HasPrefix(module.Path, ours) {
			return nil, fmt.Errorf("%s is replaced, and nobody can say by what", module.Path)
		}
		if !strings.HasPrefix(module.Path, ours) {
			modules = append(modules, module.Path+"@"+module.Version)
		}
	}
	found, err := readModules(modules)
	if err != nil {
		return nil, err
	}
	parts = append(parts, found...)
	if info.Main.Path == ours+"gateway" {
		served, err := readProvenance(provenance)
		if err != nil {
			return nil, err
		}
		parts = append(parts, served...)
	}
	return parts, nil
}

const golang = "pkg:golang/"

// theirModules lists those of a program that somebody else built, itself among them.
func theirModules(info *buildinfo.BuildInfo) []part {
	var parts []part
	for _, module := range append(info.Deps, &info.Main) {
		if module.Replace != nil {
			module = module.Replace
		}
		parts = append(parts, part{Name: module.Path, Version: module.Version, URL: golang + module.Path + "@" + module.Version, Theirs: true})
	}
	return parts
}

// readModules finds each module's folder, which the go command fetches unless it is there.
func readModules(modules []string) ([]part, error) {
	if len(modules) == 0 {
		return nil, nil
	}
	download := exec.Command("go", append([]string{"mod", "download", "-json"}, modules...)...) //nolint:gosec // modules of a program of ours
	download.Stderr = os.Stderr
	output, err := download.Output()
	if err != nil {
		return nil, fmt.Errorf("find modules: %w", err)
	}
	var parts []part
	decoder := json.NewDecoder(bytes.NewReader(output))
	for {
		var module struct{ Path, Version, Dir string }
		err := decoder.Decode(&module)
		if errors.Is(err, io.EOF) {
			return parts, nil
		}
		if err != nil {
			return nil, fmt.Errorf("find modules: %w", err)
		}
		licences, err := readLicences(module.Dir)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{
			Name: module.Path, Version: module.Version, URL: golang + module.Path + "@" + module.Version, Licences: licences,
		})
	}
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying)([.-].*)?$`)

// scanner knows the allowed licences alone: to learn all that there are takes it half a minute.
var scanner = sync.OnceValues(func() (*licensecheck.Scanner, error) {
	known := slices.DeleteFunc(licensecheck.BuiltinLicenses(), func(l licensecheck.License) bool {
		return !slices.Contains(allowed, l.ID)
	})
	return licensecheck.NewScanner(known)
})

// readLicences recognises the licences at the top of a module's folder. A text that is not for the
// most part one of those allowed counts as unknown.
func readLicences(folder string) ([]string, error) {
	licences, err := scanner()
	if err != nil {
		return nil, fmt.Errorf("learn licences: %w", err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range entries {
		if entry.IsDir() || filepath.Ext(entry.Name()) == ".go" || !licenceFile.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		coverage := licences.Scan(text)
		if coverage.Percent < 75 {
			found = append(found, "unknown")
		}
		for _, match := range coverage.Match {
			found = append(found, match.ID)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

var vendored = regexp.MustCompile(`(?m)^  npm package (\S+) ([0-9.]+[0-9]).*?, ([A-Z][A-Za-z0-9.-]+) \(`)

// readProvenance reads what vendor.sh writes of the packages that it took.
func readProvenance(file string) ([]part, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, found := range vendored.FindAllStringSubmatch(string(content), -1) {
		parts = append(parts, part{Name: found[1], Version: found[2], URL: "pkg:npm/" + found[1] + "@" + found[2], Licences: found[3:4]})
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("%s tells of no package", file)
	}
	return parts, nil
}
