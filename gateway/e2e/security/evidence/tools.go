package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Each reader below takes what a tool wrote. An output that does not show that the tool came
// to its end is an error, for a scan that died has found nothing either.

// Testssl reads the JSON of testssl.sh.
func Testssl(output []byte) ([]Finding, error) {
	var lines []struct{ ID, Severity, Finding, IP, Port string }
	err := json.Unmarshal(output, &lines)
	if err != nil {
		return nil, fmt.Errorf("read testssl.sh: %w", err)
	}
	grades := map[string]Severity{"CRITICAL": Critical, "HIGH": High, "MEDIUM": Medium, "LOW": Low}
	var findings []Finding
	ended := false
	for _, line := range lines {
		// The last of the weaknesses that it looks for.
		ended = ended || line.ID == "RC4"
		if line.Severity == "FATAL" {
			return nil, fmt.Errorf("testssl.sh gave up: %s", line.Finding)
		}
		if grade, found := grades[line.Severity]; found {
			findings = append(findings, Finding{Severity: grade, ID: line.ID, Where: line.IP + ":" + line.Port, Text: line.Finding})
		}
	}
	if !ended {
		return nil, errors.New("testssl.sh did not come to its end")
	}
	return findings, nil
}

// Wapiti reads the JSON report of wapiti. Its anomalies are answers of 500 and such that took
// too long.
func Wapiti(output []byte) ([]Finding, error) {
	type entry struct {
		Method, Path, Info, Parameter string
		Level                         int
	}
	var report struct {
		Vulnerabilities, Anomalies map[string][]entry
		Infos                      struct{ Version string }
	}
	err := json.Unmarshal(output, &report)
	if err != nil {
		return nil, fmt.Errorf("read wapiti: %w", err)
	}
	if report.Infos.Version == "" {
		return nil, errors.New("wapiti did not come to its end")
	}
	grades := map[int]Severity{1: Low, 2: Medium, 3: High, 4: Critical}
	var findings []Finding
	for _, kinds := range []map[string][]entry{report.Vulnerabilities, report.Anomalies} {
		for kind, entries := range kinds {
			for _, e := range entries {
				grade, known := grades[e.Level]
				if !known {
					grade = Unrated
				}
				id := kind
				if e.Parameter == "" {
					id += ": " + e.Info
				}
				findings = append(findings, Finding{Severity: grade, ID: id, Where: e.Method + " " + e.Path, Text: e.Info})
			}
		}
	}
	return findings, nil
}

// Sqlmap reads what sqlmap printed of one route.
func Sqlmap(route string, output []byte) ([]Finding, error) {
	switch {
	case bytes.Contains(output, []byte("identified the following injection point")):
		_, what, _ := strings.Cut(string(output), "injection point")
		return []Finding{{Severity: Critical, ID: "inyección de SQL", Where: route, Text: what[:min(len(what), 300)]}}, nil
	case bytes.Contains(output, []byte("all tested parameters do not appear to be injectable")):
		return nil, nil
	default:
		return nil, fmt.Errorf("sqlmap did not come to its end at %s", route)
	}
}

// Gosec reads the JSON of golangci-lint that ran gosec.
func Gosec(module string, output []byte) ([]Finding, error) {
	var report struct {
		Issues []struct {
			Text string
			Pos  struct {
				Filename string
				Line     int
			}
		}
		Report *struct{ Linters []any }
	}
	err := json.Unmarshal(output, &report)
	if err != nil {
		return nil, fmt.Errorf("read gosec: %w", err)
	}
	if report.Report == nil {
		return nil, errors.New("gosec did not come to its end")
	}
	var findings []Finding
	for _, issue := range report.Issues {
		id, _, _ := strings.Cut(issue.Text, ":")
		where := fmt.Sprintf("%s/%s:%d", module, issue.Pos.Filename, issue.Pos.Line)
		findings = append(findings, Finding{Severity: Unrated, ID: id, Where: where, Text: issue.Text})
	}
	return findings, nil
}

// VulnerabilityDatabase is the database that govulncheck looked into, with its date if it has one, as
// a folder of entries has not; "" if govulncheck does not say.
func VulnerabilityDatabase(output []byte) string {
	var first struct {
		Config struct {
			DB       string
			Modified time.Time `json:"db_last_modified"`
		}
	}
	err := json.NewDecoder(bytes.NewReader(output)).Decode(&first)
	if err != nil || first.Config.DB == "" || first.Config.Modified.IsZero() {
		return first.Config.DB
	}
	return first.Config.DB + ", del " + first.Config.Modified.UTC().Format(time.DateOnly)
}

// Govulncheck reads the JSON stream of govulncheck. What counts is what our code calls: then the
// trace begins with a function. It also tells of weak modules of which nothing is called.
func Govulncheck(module string, output []byte) ([]Finding, error) {
	if VulnerabilityDatabase(output) == "" {
		return nil, errors.New("govulncheck does not say into which database it looked")
	}
	decoder := json.NewDecoder(bytes.NewReader(output))
	var findings []Finding
	seen := map[string]bool{}
	for {
		var message struct {
			Finding *struct {
				OSV   string
				Trace []struct{ Module, Version, Function string }
			}
		}
		err := decoder.Decode(&message)
		if errors.Is(err, io.EOF) {
			return findings, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read govulncheck: %w", err)
		}
		f := message.Finding
		if f == nil || len(f.Trace) == 0 || f.Trace[0].Function == "" || seen[f.OSV] {
			continue
		}
		seen[f.OSV] = true
		text := fmt.Sprintf("%s %s, %s", f.Trace[0].Module, f.Trace[0].Version, f.Trace[0].Function)
		findings = append(findings, Finding{Severity: Unrated, ID: f.OSV, Where: module, Text: text})
	}
}
