// Package evidence makes of what scanners say the report that the platform's manual asks of each
// institution (pui.md S-30): scope, method, tool, version, date, address, and findings by
// severity, down to low. What a scanner calls information is none.
//
// It runs nothing; it is imported by tests only.
package evidence

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Severity is how bad a finding is, as the report says it.
type Severity string

// From bad to less bad. A tool that does not grade its findings has them Unrated, and they
// count as the others do.
const (
	Critical Severity = "crítica"
	High     Severity = "alta"
	Medium   Severity = "media"
	Low      Severity = "baja"
	Unrated  Severity = "sin clasificar"
)

var severities = []Severity{Critical, High, Medium, Low, Unrated}

// Finding is one thing that a tool has found.
type Finding struct {
	Severity Severity
	// ID is what the tool calls this kind of finding.
	ID    string
	Where string
	Text  string
	// Dismissed says why it is none after all. Empty: it counts.
	Dismissed string
}

// Result is what one tool says of one scope.
type Result struct {
	// Kind is SAST, SCA or DAST.
	Kind          string
	Tool, Version string
	Scope, Method string
	// Raw names what the tool itself wrote, beside the report.
	Raw      string
	Findings []Finding
	// NotRun says why there is no result. Empty: there is.
	NotRun string
}

// Dismiss marks findings of these kinds as none, for the reasons that are given.
func (r *Result) Dismiss(reasons map[string]string) {
	for i := range r.Findings {
		r.Findings[i].Dismissed = reasons[r.Findings[i].ID]
	}
}

// Open counts the findings that are not dismissed.
func (r *Result) Open() int {
	open := 0
	for _, f := range r.Findings {
		if f.Dismissed == "" {
			open++
		}
	}
	return open
}

// Report is the whole evidence of one run.
type Report struct {
	Date        time.Time
	Commit      string
	Address     string
	Environment string
	// URLs are the requests that were tried: method and address.
	URLs    []string
	Results []*Result
}

// Open counts the findings of all tools that are not dismissed.
func (r *Report) Open() int {
	open := 0
	for _, result := range r.Results {
		open += result.Open()
	}
	return open
}

// Markdown writes the report.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Revisión de seguridad de Enlace\n\n")
	fmt.Fprintf(&b, "| | |\n|---|---|\n| Fecha | %s |\n| Commit | `%s` |\n| Dirección | %s |\n| Ambiente | %s |\n| Conclusión | **%s** |\n\n",
		r.Date.UTC().Format(time.RFC3339), r.Commit, r.Address, r.Environment, r.conclusion())
	fmt.Fprintf(&b, "## Herramientas\n\n| Tipo | Herramienta | Versión | Alcance | Método | Informe propio |\n|---|---|---|---|---|---|\n")
	for _, result := range r.Results {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | `%s` |\n",
			result.Kind, result.Tool, result.Version, cell(result.Scope), cell(result.Method), result.Raw)
	}
	if len(r.URLs) > 0 {
		fmt.Fprintf(&b, "\n## URLs validadas\n\n- `%s`\n", strings.Join(r.URLs, "`\n- `"))
	}
	fmt.Fprintf(&b, "\n## Hallazgos por severidad\n\n| Herramienta | %s | descartados |\n|---|%s\n", join(severities, " | "), strings.Repeat("---|", len(severities)+1))
	for _, result := range r.Results {
		b.WriteString(result.row())
	}
	r.writeFindings(&b)
	return b.String()
}

func (r *Report) conclusion() string {
	var missing []string
	for _, result := range r.Results {
		if result.NotRun != "" {
			missing = append(missing, result.Tool)
		}
	}
	text := fmt.Sprintf("%d hallazgos", r.Open())
	if len(missing) > 0 {
		text += "; incompleta: no se ejecutó " + strings.Join(missing, ", ")
	}
	return text
}

func (r *Result) row() string {
	if r.NotRun != "" {
		return fmt.Sprintf("| %s | no se ejecutó: %s |%s\n", r.Tool, cell(r.NotRun), strings.Repeat(" |", len(severities)))
	}
	counts := make([]int, len(severities))
	dismissed := len(r.Findings) - r.Open()
	for _, f := range r.Findings {
		if f.Dismissed == "" {
			counts[slices.Index(severities, f.Severity)]++
		}
	}
	return fmt.Sprintf("| %s | %s | %d |\n", r.Tool, join(counts, " | "), dismissed)
}

func (r *Report) writeFindings(b *strings.Builder) {
	var open, dismissed []string
	for _, result := range r.Results {
		for _, f := range result.Findings {
			line := fmt.Sprintf("| %s | %s | %s | %s | %s |", result.Tool, f.Severity, cell(f.ID), cell(f.Where), cell(f.Text))
			if f.Dismissed == "" {
				open = append(open, line)
			} else {
				dismissed = append(dismissed, line+" "+cell(f.Dismissed)+" |")
			}
		}
	}
	if len(open) > 0 {
		fmt.Fprintf(b, "\n## Hallazgos\n\n| Herramienta | Severidad | Clave | Lugar | Qué |\n|---|---|---|---|---|\n%s\n", strings.Join(open, "\n"))
	}
	if len(dismissed) > 0 {
		fmt.Fprintf(b, "\n## Descartados, con su razón\n\n| Herramienta | Severidad | Clave | Lugar | Qué | Razón |\n|---|---|---|---|---|---|\n%s\n", strings.Join(dismissed, "\n"))
	}
}

// cell keeps a text within one cell of a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

func join[T any](values []T, between string) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = fmt.Sprint(value)
	}
	return strings.Join(texts, between)
}
