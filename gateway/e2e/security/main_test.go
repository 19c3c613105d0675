//go:build security

package security

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/document"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/gateway/e2e/security/evidence"
	"github.com/enlace-iis/enlace/services/process/certs/certstest"
)

// target is the base URL of an institution at a system that runs elsewhere, as it is registered with
// the platform; empty: the suite starts a system of its own.
var target = strings.TrimRight(os.Getenv("SECURITY_TARGET"), "/")

var (
	// system is the suite's own; nil with a target.
	system *harness.System
	// operations are those that are scanned, their paths below the address of the report.
	operations []document.Operation
	// root is the repository, folder what becomes evidence, binDir the programs.
	root, folder, binDir string
	report               evidence.Report
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	err := prepare()
	if err != nil {
		return failed(err)
	}
	scan := scanOwn
	if target != "" {
		scan = scanTarget
	}
	code, err := scan(m)
	if err != nil {
		return failed(err)
	}
	for _, operation := range operations {
		report.URLs = append(report.URLs, operation.Method+" "+report.Address+operation.Path)
	}
	summary := filepath.Join(folder, "resumen.md")
	err = os.WriteFile(summary, []byte(report.Markdown()), 0o644)
	if err != nil {
		return failed(err)
	}
	fmt.Printf("%d findings; the evidence is %s\n", report.Open(), summary)
	return code
}

// scanOwn runs the scanners against a system that is started for them.
func scanOwn(m *testing.M) (int, error) {
	certificates, err := os.MkdirTemp("", "enlace-security-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(certificates) }()
	settings, err := settings(certificates)
	if err != nil {
		return 0, err
	}
	report.Environment = "instancia local en loopback, con los programas de este commit y TLS en cada conexión"
	return harness.MainWith(m, stack.Config{BinDir: binDir, Throwaway: true}, settings, func(s *harness.System) {
		system, report.Address, operations = s, s.Addresses().BaseURL, s.Document.Operations()
	}), nil
}

// scanTarget runs them against the target, of which only what the platform calls is known.
func scanTarget(m *testing.M) (int, error) {
	address, err := url.Parse(target)
	if err != nil || address.Scheme != "https" || address.Host == "" || address.RawQuery != "" {
		return 0, errors.New("TARGET is to be a base URL as it is registered with the platform: https://…/i/LAB010101AB1")
	}
	operations, err = platformOperations()
	if err != nil {
		return 0, err
	}
	report.Address, report.Environment = target, cmp.Or(os.Getenv("SECURITY_ENVIRONMENT"), "Productivo")
	return m.Run(), nil
}

// basePath is what every base URL of the document ends in.
const basePath = "/i/{id_empresa}"

// platformOperations are those below a base URL, by the document of the sources: a system in
// production serves none.
func platformOperations() ([]document.Operation, error) {
	text, err := os.ReadFile(filepath.Join(root, "gateway", "internal", "docs", "openapi.json"))
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	var servers struct{ Servers []struct{ URL string } }
	err = json.Unmarshal(text, &servers)
	if err != nil || len(servers.Servers) != 1 {
		return nil, fmt.Errorf("the document has not one server: %w", err)
	}
	all, err := document.Parse(text, servers.Servers[0].URL)
	if err != nil {
		return nil, err
	}
	var below []document.Operation
	for _, operation := range all.Operations() {
		path, is := strings.CutPrefix(operation.Path, basePath)
		if is {
			operation.Path = path
			below = append(below, operation)
		}
	}
	return below, nil
}

// prepare empties the folder of the evidence and builds the programs as they are delivered.
func prepare() error {
	var err error
	root, err = harness.Repository()
	if err != nil {
		return err
	}
	folder = filepath.Join(root, ".local", "security-check")
	binDir = filepath.Join(root, ".local", "security-programs")
	err = errors.Join(os.RemoveAll(folder), os.MkdirAll(filepath.Join(folder, "sbom"), 0o755))
	if err != nil {
		return err
	}
	revision, err := exec.Command("git", "-C", root, "describe", "--always", "--dirty", "--abbrev=40").Output()
	if err != nil {
		return fmt.Errorf("name the revision: %w", err)
	}
	report.Date, report.Commit = time.Now(), strings.TrimSpace(string(revision))
	return harness.Build(binDir, "-trimpath")
}

// settings are those of a system with TLS on every connection. Wrong logins are not limited, for
// a scanner's are many, and what the limit does is held by other suites.
func settings(certificates string) (map[string]string, error) {
	authority, err := certstest.NewAuthority(certificates, "security")
	if err != nil {
		return nil, err
	}
	pair, err := authority.Issue("localhost")
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"TLS_CERT_FILE": pair.Cert, "TLS_KEY_FILE": pair.Key,
		"TLS_CLIENT_CA_FILE": authority.File, "TLS_SERVER_CA_FILE": authority.File,
		"TLS_CLIENT_CERT_FILE": pair.Cert, "TLS_CLIENT_KEY_FILE": pair.Key,
		"SSL_CERT_FILE": authority.File, "LOGIN_MAX_FAILURES": "1000000",
	}, os.Setenv("SSL_CERT_FILE", authority.File) // for the requests of the suite itself
}

// begin adds a tool's result to the report, as one that did not come to its end.
func begin(result evidence.Result) *evidence.Result {
	result.NotRun = "no terminó"
	report.Results = append(report.Results, &result)
	return &result
}

// end takes what the tool found, and fails the test for what is not dismissed.
func end(t *testing.T, result *evidence.Result, findings []evidence.Finding) {
	t.Helper()
	result.NotRun, result.Findings = "", findings
	result.Dismiss(dismissed)
	for _, f := range result.Findings {
		if f.Dismissed == "" {
			t.Errorf("%s: %s %s at %s: %s", result.Tool, f.Severity, f.ID, f.Where, f.Text)
		}
	}
}

// tool runs a program to its end and gives what it prints. Most scanners end with another
// status than 0 when they have found something, so that alone is no error.
func tool(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = dir
	output, err := command.CombinedOutput()
	_, ended := errors.AsType[*exec.ExitError](err)
	if err != nil && (!ended || ctx.Err() != nil) {
		t.Fatalf("%s: %v\n%s", name, err, output)
	}
	return output
}

// version asks a tool for its version, which is what the pattern's group matches.
func version(t *testing.T, pattern, name string, args ...string) string {
	t.Helper()
	output := tool(t, root, name, args...)
	found := regexp.MustCompile(pattern).FindSubmatch(output)
	if found == nil {
		t.Fatalf("%s does not tell its version: %s", name, output)
	}
	return string(found[1])
}

// keep leaves what a tool wrote with the evidence.
func keep(t *testing.T, name string, content []byte) {
	t.Helper()
	err := os.WriteFile(filepath.Join(folder, name), content, 0o644)
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}
