package observabilidad

import (
	"os"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

// What prometheus finds reaches the part of the set that tells people, and that one knows whom.
func TestAlertmanager_isToldAndKnowsWhom(t *testing.T) {
	t.Parallel()
	var prometheus struct {
		Alerting struct {
			Alertmanagers []struct {
				Found []struct {
					Names []string
					Port  int
				} `yaml:"dns_sd_configs"`
			}
		}
	}
	var set struct {
		Services map[string]struct{ Networks []string }
	}
	var told struct {
		Route     struct{ Receiver string }
		Receivers []struct{ Name string }
	}
	for file, into := range map[string]any{"prometheus.yml": &prometheus, "../../docker-compose.yml": &set, "alertmanager.yml": &told} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		err = yaml.Unmarshal(content, into)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	found := prometheus.Alerting.Alertmanagers[0].Found[0]
	shared := slices.ContainsFunc(set.Services["prometheus"].Networks, func(n string) bool {
		return slices.Contains(set.Services[found.Names[0]].Networks, n)
	})
	if !shared || found.Port != 9093 {
		t.Errorf("prometheus looks for %v, which it does not reach", found)
	}
	if len(told.Receivers) != 1 || told.Route.Receiver != told.Receivers[0].Name {
		t.Errorf("alerts go to %q, and %v are known", told.Route.Receiver, told.Receivers)
	}
}
