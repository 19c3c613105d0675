// Command sbom writes what built programs of Enlace are made of, as CycloneDX JSON, one file for
// each, and ends with 1 if a part has a licence that is not among those allowed here:
//
//	go run ./deploy/sbom -o FOLDER [-version V] [-base IMAGE -files FOLDER] PROGRAM…
//
// A Go program carries the list of its own modules; their licences are read from the module
// cache, unless somebody else built it. It must be run in the repository, whose gateway also holds
// libraries for browsers. For a program in an image the image beneath it belongs to the list, with
// the packages that its files tell of.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	folder := flag.String("o", ".", "folder for the files")
	version := flag.String("version", "", "of the programs")
	base := flag.String("base", "", "the image beneath")
	files := flag.String("files", "", "folder with that image's files")
	flag.Parse()
	beneath, err := imageParts(*base, *files)
	if err == nil {
		err = run(*folder, *version, beneath, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(folder, version string, beneath []part, programs []string) error {
	var refused []error
	for _, program := range programs {
		parts, err := partsOf(program)
		if err != nil {
			return fmt.Errorf("read %s: %w", program, err)
		}
		name, parts := filepath.Base(program), append(parts, beneath...)
		for _, part := range parts {
			if !part.allowed() {
				refused = append(refused, fmt.Errorf("%s: %s %s has the licence %q", name, part.Name, part.Version, strings.Join(part.Licences, " ")))
			}
		}
		content, err := json.MarshalIndent(document(name, version, parts), "", "  ")
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		err = os.WriteFile(filepath.Join(folder, name+".cdx.json"), append(content, '\n'), 0o644) //nolint:gosec // nothing secret
		if err != nil {
			return err
		}
		fmt.Printf("%s: %d parts, %s\n", name, len(parts), strings.Join(licencesOf(parts), ", "))
	}
	return errors.Join(refused...)
}

func licencesOf(parts []part) []string {
	var all []string
	for _, p := range parts {
		all = append(all, p.Licences...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
