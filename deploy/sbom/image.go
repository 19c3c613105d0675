package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var field = regexp.MustCompile(`(?m)^(Package|Version|Architecture): (.+)$`)

// imageParts are an image, NAME:TAG, and the Debian packages that its files say it is made from, as
// images do that have no dpkg.
func imageParts(image, folder string) ([]part, error) {
	if image == "" {
		return nil, nil
	}
	name, tag, _ := strings.Cut(image, ":")
	parts := []part{{Name: name, Version: tag, Theirs: true}}
	files, err := filepath.Glob(filepath.Join(folder, "var/lib/dpkg/status.d/*"))
	if err != nil {
		return nil, fmt.Errorf("look for packages: %w", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read package: %w", err)
		}
		about := map[string]string{}
		for _, found := range field.FindAllStringSubmatch(string(content), -1) {
			about[found[1]] = found[2]
		}
		// Beside each lies a list of its files, which names no package.
		if name, version := about["Package"], about["Version"]; name != "" {
			url := "pkg:deb/debian/" + name + "@" + version + "?arch=" + about["Architecture"]
			parts = append(parts, part{Name: name, Version: version, URL: url, Theirs: true})
		}
	}
	return parts, nil
}
