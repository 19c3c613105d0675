// Package observabilidad knows what the alert rules and the dashboard beside it ask of
// Prometheus, so that tests can hold it against what the programs tell. Programs do not
// import it.
package observabilidad

import (
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"
)

//go:embed alertas.yml grafana/dashboards/enlace.json
var files embed.FS

// Expression is what a rule or a panel asks.
type Expression struct {
	// Where names the rule or the panel.
	Where string
	// Query is PromQL.
	Query string
}

// Rule is an alert; see Prometheus' own documentation.
type Rule struct {
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

// Rules reads the alert rules; a field that Prometheus would refuse is an error.
func Rules() ([]Rule, error) {
	content, err := files.Open("alertas.yml")
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	var document struct {
		Groups []struct {
			Name  string `yaml:"name"`
			Rules []Rule `yaml:"rules"`
		} `yaml:"groups"`
	}
	decoder := yaml.NewDecoder(content)
	decoder.KnownFields(true)
	err = decoder.Decode(&document)
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	var rules []Rule
	for _, group := range document.Groups {
		rules = append(rules, group.Rules...)
	}
	return rules, nil
}

// Panel is one of the dashboard's; a row is one too, and asks nothing.
type Panel struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	FieldConfig struct {
		Defaults struct {
			Unit string `json:"unit"`
		} `json:"defaults"`
	} `json:"fieldConfig"`
	Targets []struct {
		Expr         string `json:"expr"`
		LegendFormat string `json:"legendFormat"`
	} `json:"targets"`
	Transformations []struct {
		ID      string `json:"id"`
		Options struct {
			Regex         string `json:"regex"`
			RenamePattern string `json:"renamePattern"`
		} `json:"options"`
	} `json:"transformations"`
}

// Legend is what the panel writes beside the line of a series with these labels.
func (p Panel) Legend(format string, labels map[string]string) (string, error) {
	legend := placeholder.ReplaceAllStringFunc(format, func(s string) string { return labels[strings.Trim(s, "{}")] })
	for _, t := range p.Transformations {
		form, err := regexp.Compile(t.Options.Regex)
		if err != nil {
			return "", fmt.Errorf("%s: %w", p.Title, err)
		}
		// Grafana's groups have no end of their name but what follows.
		legend = form.ReplaceAllString(legend, strings.Replace(t.Options.RenamePattern, "$1", "${1}", 1))
	}
	return legend, nil
}

var placeholder = regexp.MustCompile(`{{[a-z_]+}}`)

// Panels reads the dashboard.
func Panels() ([]Panel, error) {
	content, err := files.ReadFile("grafana/dashboards/enlace.json")
	if err != nil {
		return nil, fmt.Errorf("read dashboard: %w", err)
	}
	var dashboard struct {
		Panels []Panel `json:"panels"`
	}
	err = json.Unmarshal(content, &dashboard)
	if err != nil {
		return nil, fmt.Errorf("read dashboard: %w", err)
	}
	return dashboard.Panels, nil
}

// Expressions gives everything that rules and panels ask.
func Expressions() ([]Expression, error) {
	rules, err := Rules()
	if err != nil {
		return nil, err
	}
	panels, err := Panels()
	if err != nil {
		return nil, err
	}
	var all []Expression
	for _, rule := range rules {
		all = append(all, Expression{Where: "alert " + rule.Alert, Query: rule.Expr})
	}
	for _, panel := range panels {
		for _, target := range panel.Targets {
			// Grafana's own variable, which depends on how far one looks back.
			query := strings.ReplaceAll(target.Expr, "$__rate_interval", "5m")
			all = append(all, Expression{Where: "panel " + panel.Title, Query: query})
		}
	}
	return all, nil
}

// Reads is what an expression looks at.
type Reads struct {
	// Selectors choose series, each by a name and matchers of labels.
	Selectors []*parser.VectorSelector
	// Groupings are the labels by which results are told apart.
	Groupings []string
}

// Reads takes an expression apart.
func (e Expression) Reads() (Reads, error) {
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(e.Query)
	if err != nil {
		return Reads{}, fmt.Errorf("%s: %w", e.Where, err)
	}
	var reads Reads
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			reads.Selectors = append(reads.Selectors, n)
		case *parser.AggregateExpr:
			reads.Groupings = append(reads.Groupings, n.Grouping...)
		}
		return nil
	})
	return reads, nil
}

// IsFromPrometheus tells whether a metric or label is of Prometheus' own making, so that no
// program tells it.
func IsFromPrometheus(name string) bool {
	return slices.Contains([]string{"up", "job", "instance"}, name)
}
