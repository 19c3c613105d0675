// Package images holds that the images of others are named in one place, and that its script
// pins them everywhere.
package images

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../.."
	list   = "deploy/images/images.env"
	script = "deploy/images/images.sh"
)

// digest is what the registry of the tests says of every image.
var digest = "sha256:" + strings.Repeat("0f", 32)

func TestImages_areThoseOfTheList(t *testing.T) {
	t.Parallel()
	listed, used := listed(t, root), used(t, root)
	for image, place := range used {
		if !slices.Contains(listed, image) {
			t.Errorf("%s names %s, which is not in %s", place, image, list)
		}
	}
	for _, image := range listed {
		if used[image] == "" {
			t.Errorf("nothing runs %s", image)
		}
	}
}

func TestScript_pinsAndUnpinsEverywhere(t *testing.T) {
	t.Parallel()
	dir := scratch(t, "crane", "echo "+digest)
	before := contents(t, dir)
	for range 2 { // a second time replaces digests
		run(t, dir, "pin")
	}
	for image, place := range used(t, dir) {
		if !strings.HasSuffix(image, "@"+digest) {
			t.Errorf("%s names %s, without its digest", place, image)
		}
	}
	if len(used(t, dir)) != len(used(t, root)) || len(listed(t, dir)) != len(listed(t, root)) {
		t.Error("an image was lost")
	}
	run(t, dir, "unpin")
	if !maps.EqualFunc(before, contents(t, dir), bytes.Equal) {
		t.Error("after unpin the files are not what they were")
	}
}

func TestScript_writesNothingUnlessAllAreFound(t *testing.T) {
	t.Parallel()
	dir := scratch(t, "crane", "case $2 in grafana*) exit 1;; *) echo "+digest+";; esac")
	before := contents(t, dir)
	_, err := command(dir, "pin").CombinedOutput()
	if err == nil {
		t.Error("it is content with an image that it did not find")
	}
	if !maps.EqualFunc(before, contents(t, dir), bytes.Equal) {
		t.Error("it wrote some of them")
	}
}

func TestScript_refusesWhatIsNoDigest(t *testing.T) {
	t.Parallel()
	output, err := command(scratch(t, "crane", "echo latest"), "pin").CombinedOutput()
	if err == nil || !strings.Contains(string(output), "no digest of") {
		t.Errorf("it ended with %v: %s", err, output)
	}
}

// The image of the public port is of caddy's version, not of Enlace's: an upgrade leaves it alone.
func TestCaddy_isOfTheVersionOfTheList(t *testing.T) {
	t.Parallel()
	found := regexp.MustCompile(`caddy:([0-9.]+)`).FindStringSubmatch(strings.Join(listed(t, root), " "))
	for file, want := range map[string]string{
		"docker-compose.yml":       "image: enlace/caddy:" + found[1] + "\n",
		"deploy/docker/Dockerfile": `org.opencontainers.image.version="` + found[1] + `"`,
	} {
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(content), want) {
			t.Errorf("%s has no %s", file, want)
		}
	}
}

// What a registry has is its digest: the one that docker and skopeo are given the bytes of, and crane tells.
func TestScript_asksAnyClient(t *testing.T) {
	t.Parallel()
	ofBytes := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte("manifest")))
	for client, tt := range map[string]struct{ answer, digest string }{
		"crane":  {`[ "$1" = digest ] && echo ` + digest, digest},
		"skopeo": {`[ "$1 $2 ${3%%//*}" = "inspect --raw docker:" ] && printf manifest`, ofBytes},
		"docker": {`[ "$1 $2 $3 $4" = "buildx imagetools inspect --raw" ] && printf manifest`, ofBytes},
	} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			dir := scratch(t, client, tt.answer)
			run(t, dir, "pin")
			for _, image := range listed(t, dir) {
				if !strings.HasSuffix(image, "@"+tt.digest) {
					t.Errorf("it wrote %s", image)
				}
			}
		})
	}
}

// scratch makes a folder with the files that name images, and one client of a registry, that answers.
func scratch(t *testing.T, client, answer string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range append(places(t, root), list, script) {
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, file), content)
	}
	write(t, filepath.Join(dir, "bin", client), []byte("#!/bin/sh\n"+answer+"\n"))
	for _, tool := range []string{"bash", "cat", "dirname", "grep", "mktemp", "rm", "sed", "sha256sum", "sh"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		err = os.Symlink(path, filepath.Join(dir, "bin", tool))
		if err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "unpin") // the repository may be pinned
	return dir
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err != nil {
		t.Fatal(err)
	}
	err = os.WriteFile(path, content, 0o700)
	if err != nil {
		t.Fatal(err)
	}
}

func command(dir, what string) *exec.Cmd {
	c := exec.Command("bash", filepath.Join(dir, script), what)
	c.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin"))
	return c
}

func run(t *testing.T, dir, what string) {
	t.Helper()
	output, err := command(dir, what).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", what, err, output)
	}
}

func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, file := range append(places(t, dir), list) {
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		all[file] = content
	}
	return all
}

func listed(t *testing.T, dir string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, list))
	if err != nil {
		t.Fatal(err)
	}
	var images []string
	for _, found := range regexp.MustCompile(`(?m)^[A-Z]+=(\S+)$`).FindAllSubmatch(content, -1) {
		images = append(images, string(found[1]))
	}
	return images
}

var reference = regexp.MustCompile(`(?m)^(?:\s*(?:- )?image:|FROM) +(\S+)(?: AS (\S+))?$`)

// used gives the images of others that anything here runs or builds on, and a file that names each.
func used(t *testing.T, dir string) map[string]string {
	t.Helper()
	images := map[string]string{}
	for _, file := range places(t, dir) {
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		var stages []string
		for _, found := range reference.FindAllStringSubmatch(string(content), -1) {
			if !slices.Contains(stages, found[1]) && !strings.HasPrefix(found[1], "enlace/") {
				images[found[1]] = file
			}
			stages = append(stages, found[2])
		}
	}
	return images
}

// places gives the files that may name an image.
func places(t *testing.T, dir string) []string {
	t.Helper()
	files := []string{"docker-compose.yml", "deploy/docker/Dockerfile"}
	err := filepath.WalkDir(filepath.Join(dir, "deploy"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path)) {
			relative, err := filepath.Rel(dir, path)
			files = append(files, relative)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
