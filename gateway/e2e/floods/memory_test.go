//go:build linux && floods

package floods

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// A pod is the memory that a program has, in bytes.
type pod struct {
	requested, limit int64
}

// podOf reads it from the shipped manifest.
func podOf(program string) (pod, error) {
	root, err := harness.Repository()
	if err != nil {
		return pod{}, err
	}
	file, err := os.Open(filepath.Join(root, "deploy", "kubernetes", "base", program+".yaml"))
	if err != nil {
		return pod{}, fmt.Errorf("open manifest: %w", err)
	}
	defer func() { _ = file.Close() }()
	documents := yaml.NewDecoder(file)
	for {
		var manifest deployment
		err = documents.Decode(&manifest)
		if err != nil {
			return pod{}, fmt.Errorf("read the Deployment of %s: %w", program, err)
		}
		if manifest.Kind == "Deployment" {
			resources := manifest.Spec.Template.Spec.Containers[0].Resources
			requested, err := mebibytes(resources.Requests["memory"])
			limit, limitErr := mebibytes(resources.Limits["memory"])
			return pod{requested: requested, limit: limit}, errors.Join(err, limitErr)
		}
	}
}

type deployment struct {
	Kind string
	Spec struct {
		Template struct {
			Spec struct {
				Containers []struct {
					Resources struct{ Requests, Limits map[string]string }
				}
			}
		}
	}
}

func mebibytes(quantity string) (int64, error) {
	number, ok := strings.CutSuffix(quantity, "Mi")
	if !ok {
		return 0, fmt.Errorf("read memory %q: not in Mi", quantity)
	}
	value, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read memory %q: %w", quantity, err)
	}
	return value << 20, nil
}

// wantInsidePods holds that no program has ever had more memory than its pod gives it.
func wantInsidePods(t *testing.T) {
	t.Helper()
	for _, program := range programs {
		given, err := podOf(program)
		if err != nil {
			t.Fatal(err)
		}
		most := harness.Memory(t, system.PID(t, program), "VmHWM")
		t.Logf("%s had %d MiB of %d at most", program, most>>20, given.limit>>20)
		if most > given.limit {
			t.Errorf("%s would have died: it had %d MiB, its pod has %d", program, most>>20, given.limit>>20)
		}
	}
}
