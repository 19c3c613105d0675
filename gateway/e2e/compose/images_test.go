//go:build compose

package compose

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Each of our images says of which version it is, and what is in it.
func TestImages_sayWhatTheyAre(t *testing.T) {
	said := 0
	for _, k := range set.contenedores(t) {
		if !slices.Contains(own, k.service()) {
			continue
		}
		said++
		name, version, _ := strings.Cut(k.Config.Image, ":")
		if got := k.Config.Labels["org.opencontainers.image.version"]; got != version {
			t.Errorf("%s says that it is of version %q", k.Config.Image, got)
		}
		program := strings.TrimPrefix(name, "enlace/")
		about, purls := set.sbom(t, k.ID, program)
		if about != program+" "+version || !slices.ContainsFunc(purls, func(p string) bool { return strings.HasPrefix(p, "pkg:golang/std@") }) {
			t.Errorf("%s has a list of %q with %d packages", k.Config.Image, about, len(purls))
		}
	}
	pass("%d containers: each image says its version and what is in it", said)
}

// sbom reads the list beside a program in its image: what it is about, and the packages there.
func (c *conjunto) sbom(t *testing.T, container, program string) (about string, purls []string) {
	t.Helper()
	packed, err := c.docker(t.Context(), "cp", container+":/"+program+".cdx.json", "-")
	if err != nil {
		t.Fatal(err)
	}
	unpack := exec.CommandContext(t.Context(), "tar", "--extract", "--to-stdout")
	unpack.Stdin = bytes.NewReader(packed)
	content, err := c.output(unpack)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Metadata struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ Purl string }
	}
	err = json.Unmarshal(content, &list)
	if err != nil {
		t.Fatal(err)
	}
	for _, component := range list.Components {
		purls = append(purls, component.Purl)
	}
	return list.Metadata.Component.Name + " " + list.Metadata.Component.Version, purls
}

// The same source and version, built once more, give the same files with the same times. That caddy's image stays the
// same one, whatever is built, the upgrade shows.
func TestImages_areReproducible(t *testing.T) {
	images := map[string]bool{}
	for _, k := range set.contenedores(t) {
		if slices.Contains(own, k.service()) && k.service() != "caddy" {
			images[k.Config.Image] = true
		}
	}
	for image := range images {
		program, _, _ := strings.Cut(strings.TrimPrefix(image, "enlace/"), ":")
		again := exec.CommandContext(t.Context(), "docker", "build", "--quiet", "--file", "deploy/docker/Dockerfile", "--target", program,
			// Another commit, which only a label has, so that nothing comes from the engine's store.
			"--build-arg", "VERSION="+set.versions[0], "--build-arg", "REVISION=otra", ".")
		again.Dir = set.root
		built, err := set.output(again)
		if err != nil {
			t.Fatal(err)
		}
		if first, second := set.layers(t, image), set.layers(t, strings.TrimSpace(string(built))); first != second {
			t.Errorf("%s, built again, has the layers %s, not %s", image, second, first)
		}
	}
	pass("%d images built twice: the same layers", len(images))
}

func (c *conjunto) layers(t *testing.T, image string) string {
	t.Helper()
	found, err := c.docker(t.Context(), "image", "inspect", "--format", "{{.RootFS.Layers}}", image)
	if err != nil {
		t.Fatal(err)
	}
	return string(found)
}
