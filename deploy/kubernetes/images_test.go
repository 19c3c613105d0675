package kubernetes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

// A site names its images as its registry does.
func TestProduction_takesEveryImageReference(t *testing.T) {
	t.Parallel()
	digest := "sha256:" + strings.Repeat("0f", 32)
	for name, tt := range map[string]struct{ entry, image string }{
		"a digest":               {"newName: registry.example/enlace/registros, digest: '" + digest + "'", "registry.example/enlace/registros@" + digest},
		"a registry with a port": {"newName: registry.example:5000/enlace/registros, newTag: 2.0.0", "registry.example:5000/enlace/registros:2.0.0"},
		// As the overlay has a place for it.
		"a tag like a number": {`newName: registry.example/enlace/registros, newTag: "9.9"`, "registry.example/enlace/registros:9.9"},
		"the longest tag": {
			"newName: registry.example/enlace/registros, newTag: " + strings.Repeat("A_", 64),
			"registry.example/enlace/registros:" + strings.Repeat("A_", 64),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := productionWith(t, `newName: registry.example/enlace/registros, newTag: "1.0.0"`, tt.entry)
			for _, w := range o.workloads() {
				if len(validation.IsDNS1123Label(w.name)) > 0 {
					t.Errorf("%s is no name of a workload", w.name)
				}
				if image := w.template.Spec.Containers[0].Image; strings.HasPrefix(w.name, "registros") && image != tt.image {
					t.Errorf("%s runs %s, want %s", w.name, image, tt.image)
				}
			}
			for _, problem := range checkMigrations(o) {
				t.Error(problem)
			}
		})
	}
}

// productionWith builds the production overlay after an edit of its kustomization.
func productionWith(t *testing.T, old, edited string) *overlay {
	t.Helper()
	root := t.TempDir()
	err := copyManifests(root)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "kubernetes/overlays/production/kustomization.yaml")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(content), old, edited, 1)
	if changed == string(content) {
		t.Fatalf("the kustomization has no %q", old)
	}
	err = os.WriteFile(file, []byte(changed), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := build(root, "overlays/production")
	if err != nil {
		t.Fatal(err)
	}
	return &overlay{name: "production", objects: objects}
}
