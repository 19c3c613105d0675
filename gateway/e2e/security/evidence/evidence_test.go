package evidence

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReaders(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		read func(output []byte) ([]Finding, error)
		// clean is an output without findings, found one with want, and cut one of a run that died.
		clean, found, cut string
		want              Finding
	}{
		"testssl.sh": {
			read:  Testssl,
			clean: `[{"id":"TLS1_2","severity":"OK","finding":"offered"},{"id":"RC4","severity":"OK","finding":"not vulnerable"}]`,
			found: `[{"id":"LUCKY13","ip":"localhost/127.0.0.1","port":"443","severity":"LOW","finding":"uses CBC"},{"id":"RC4","severity":"OK"}]`,
			cut:   `[{"id":"TLS1_2","severity":"OK","finding":"offered"}]`,
			want:  Finding{Severity: Low, ID: "LUCKY13", Where: "localhost/127.0.0.1:443", Text: "uses CBC"},
		},
		"testssl.sh that reached nobody": {
			read:  Testssl,
			clean: `[{"id":"RC4","severity":"OK"}]`,
			found: `[{"id":"heartbleed","ip":"h","port":"1","severity":"CRITICAL","finding":"f"},{"id":"RC4","severity":"OK"}]`,
			cut:   `[{"id":"RC4","severity":"OK"},{"id":"scanProblem","severity":"FATAL","finding":"Can't connect"}]`,
			want:  Finding{Severity: Critical, ID: "heartbleed", Where: "h:1", Text: "f"},
		},
		"wapiti": {
			read:  Wapiti,
			clean: `{"vulnerabilities":{"SQL Injection":[]},"anomalies":{},"infos":{"version":"Wapiti 3"}}`,
			found: `{"vulnerabilities":{"SQL Injection":[{"method":"GET","path":"/","info":"i","level":3,"parameter":"p"}]},"infos":{"version":"Wapiti 3"}}`,
			cut:   `{}`,
			want:  Finding{Severity: High, ID: "SQL Injection", Where: "GET /", Text: "i"},
		},
		"wapiti that met a 500": {
			read:  Wapiti,
			clean: `{"infos":{"version":"Wapiti 3"}}`,
			found: `{"anomalies":{"Internal Server Error":[{"method":"GET","path":"/a","info":"i","level":9}]},"infos":{"version":"Wapiti 3"}}`,
			cut:   `{"vulnerabilities":`,
			want:  Finding{Severity: Unrated, ID: "Internal Server Error: i", Where: "GET /a", Text: "i"},
		},
		"sqlmap": {
			read:  func(output []byte) ([]Finding, error) { return Sqlmap("POST /a", output) },
			clean: "[ERROR] all tested parameters do not appear to be injectable.",
			found: "sqlmap identified the following injection point(s) with 9 requests:\n---\nParameter: JSON curp",
			cut:   "[CRITICAL] unable to connect to the target URL",
			want:  Finding{Severity: Critical, ID: "inyección de SQL", Where: "POST /a", Text: "(s) with 9 requests:\n---\nParameter: JSON curp"},
		},
		"gosec": {
			read:  func(output []byte) ([]Finding, error) { return Gosec("services", output) },
			clean: `{"Issues":[],"Report":{"Linters":[]}}`,
			found: `{"Issues":[{"Text":"G404: weak random","Pos":{"Filename":"a/b.go","Line":7}}],"Report":{"Linters":[]}}`,
			cut:   `{}`,
			want:  Finding{Severity: Unrated, ID: "G404", Where: "services/a/b.go:7", Text: "G404: weak random"},
		},
		"govulncheck": {
			read:  func(output []byte) ([]Finding, error) { return Govulncheck("gateway", output) },
			clean: `{"config":{"db":"https://vuln.go.dev","db_last_modified":"2026-08-21T00:00:00Z"}}{"finding":{"osv":"GO-1","trace":[{"module":"m","version":"v1"}]}}`,
			found: `{"config":{"db":"https://vuln.go.dev","db_last_modified":"2026-08-21T00:00:00Z"}}{"finding":{"osv":"GO-1","trace":[{"module":"m","version":"v1","function":"F"}]}}{"finding":{"osv":"GO-1","trace":[{"module":"m","version":"v1","function":"G"}]}}`,
			cut:   `{"config":{}}`,
			want:  Finding{Severity: Unrated, ID: "GO-1", Where: "gateway", Text: "m v1, F"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			findings, err := tt.read([]byte(tt.clean))
			if err != nil || len(findings) > 0 {
				t.Errorf("clean: %v, %v", findings, err)
			}
			findings, err = tt.read([]byte(tt.found))
			if diff := cmp.Diff([]Finding{tt.want}, findings); err != nil || diff != "" {
				t.Errorf("found: %v %s", err, diff)
			}
			_, err = tt.read([]byte(tt.cut))
			if err == nil {
				t.Error("a run that died is taken for one that found nothing")
			}
		})
	}
}

func TestReport_countsWhatIsNotDismissed(t *testing.T) {
	t.Parallel()
	scan := &Result{Kind: "DAST", Tool: "escáner", Version: "1.2", Scope: "todo", Method: "caja negra", Raw: "escaner.json", Findings: []Finding{
		{Severity: Low, ID: "uno", Where: "/", Text: "a|b\nc"},
		{Severity: Medium, ID: "dos", Where: "/", Text: "nada"},
	}}
	scan.Dismiss(map[string]string{"dos": "no aplica"})
	report := Report{
		Date: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), Commit: "abc", Address: "https://127.0.0.1:1", Environment: "Productivo",
		URLs:    []string{"POST https://127.0.0.1:1/login", "GET https://127.0.0.1:1/health"},
		Results: []*Result{scan, {Kind: "SCA", Tool: "otra", NotRun: "sin base de datos"}},
	}
	if report.Open() != 1 {
		t.Errorf("open = %d, want 1", report.Open())
	}
	text := report.Markdown()
	for _, want := range []string{
		"| Fecha | 2026-11-22T00:00:00Z |", "| Commit | `abc` |", "| Dirección | https://127.0.0.1:1 |", "| Ambiente | Productivo |",
		"## URLs validadas\n\n- `POST https://127.0.0.1:1/login`\n- `GET https://127.0.0.1:1/health`\n",
		"**1 hallazgos; incompleta: no se ejecutó otra**",
		"| DAST | escáner | 1.2 | todo | caja negra | `escaner.json` |",
		"| escáner | 0 | 0 | 0 | 1 | 0 | 1 |",
		"| otra | no se ejecutó: sin base de datos |",
		`| escáner | baja | uno | / | a\|b c |`,
		"| escáner | media | dos | / | nada | no aplica |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}
