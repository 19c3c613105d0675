package observabilidad

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRules_sayWhatToDo(t *testing.T) {
	t.Parallel()
	rules, err := Rules()
	if err != nil {
		t.Fatal(err)
	}
	if len(rules) == 0 {
		t.Fatal("there are no rules")
	}
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules {
		_, err = time.ParseDuration(cmp.Or(rule.For, "0s"))
		if err != nil {
			t.Errorf("%s: %v", rule.Alert, err)
		}
		if !slices.Contains([]string{"warning", "critical"}, rule.Labels["severity"]) {
			t.Errorf("%s: severity %q", rule.Alert, rule.Labels["severity"])
		}
		if rule.Annotations["summary"] == "" || rule.Annotations["runbook"] != "docs/operations.md#alerts" {
			t.Errorf("%s: annotations %v", rule.Alert, rule.Annotations)
		}
		if !strings.Contains(string(page), "| `"+rule.Alert+"` |") {
			t.Errorf("%s: docs/operations.md does not say what to do", rule.Alert)
		}
	}
}

// TestRules_haveExamples holds that alertas_prueba.yml makes every rule fire.
func TestRules_haveExamples(t *testing.T) {
	t.Parallel()
	examples, err := os.ReadFile("alertas_prueba.yml")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := Rules()
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules {
		if !strings.Contains(string(examples), `alertname="`+rule.Alert+`"`) {
			t.Errorf("%s has no example", rule.Alert)
		}
	}
}

func TestPanels_canBeRead(t *testing.T) {
	t.Parallel()
	panels, err := Panels()
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	titles := map[string]bool{}
	for _, panel := range panels {
		if titles[panel.Title] || panel.Title == "" {
			t.Errorf("title %q is empty or there twice", panel.Title)
		}
		titles[panel.Title] = true
		if panel.Type == "row" {
			rows = append(rows, panel.Title)
			continue
		}
		if panel.FieldConfig.Defaults.Unit == "" || len(panel.Targets) == 0 {
			t.Errorf("%s: unit %q, %d targets", panel.Title, panel.FieldConfig.Defaults.Unit, len(panel.Targets))
		}
		if panel.Description == "" {
			t.Errorf("%s: nobody says what it means", panel.Title)
		}
		for _, target := range panel.Targets {
			if target.LegendFormat == "" {
				t.Errorf("%s: no legend", panel.Title)
			}
		}
	}
	want := []string{"Tráfico", "Registros", "Casos y entregas", "Plataforma", "Trabajos", "Base de datos"}
	if !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
}

// What programs tell by English words operators read in Spanish.
func TestLegends_areInAnOperatorsWords(t *testing.T) {
	t.Parallel()
	panels, err := Panels()
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"role": "pui", "outcome": "refused", "job": "registros", "kind": "deliver_caso", "state": "retryable"}
	for title, want := range map[string]string{
		"API keys verificadas": "rechazada", "Inicios de sesión": "pui rechazado",
		"Trabajos en espera": "registros entrega", "Trabajos por estado": "registros por reintentar",
	} {
		at := slices.IndexFunc(panels, func(p Panel) bool { return p.Title == title })
		if at < 0 {
			t.Fatalf("there is no panel %q", title)
		}
		legend, err := panels[at].Legend(panels[at].Targets[0].LegendFormat, labels)
		if err != nil || legend != want {
			t.Errorf("%s writes %q, %v; want %q", title, legend, err, want)
		}
	}
}

func TestExpressions_areRight(t *testing.T) {
	t.Parallel()
	all, err := Expressions()
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`^(enlace|grpc)_[a-z_]+$`)
	for _, expression := range all {
		reads, err := expression.Reads()
		if err != nil {
			t.Error(err)
			continue
		}
		for _, selector := range reads.Selectors {
			if !name.MatchString(selector.Name) && !IsFromPrometheus(selector.Name) {
				t.Errorf("%s reads %q", expression.Where, selector.Name)
			}
		}
	}
}
