//go:build security

package security

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/security/evidence"
)

var modules = []string{"proto", "services", "gateway", "deploy"}

func TestGosec(t *testing.T) {
	result := begin(evidence.Result{
		Kind: "SAST", Tool: "gosec (golangci-lint)", Version: version(t, `(\S+)`, "golangci-lint", "version", "--short"),
		Scope: "código de los módulos " + strings.Join(modules, ", "), Raw: "gosec-*.json",
		Method: "análisis estático; las reglas excluidas y su razón están en .golangci.yml, las excepciones junto a su línea",
	})
	var findings []evidence.Finding
	for _, module := range modules {
		file := filepath.Join(folder, "gosec-"+module+".json")
		tool(t, filepath.Join(root, module), "golangci-lint", "run", "--enable-only", "gosec", "--output.json.path", file, "./...")
		found, err := evidence.Gosec(module, read(t, filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		findings = append(findings, found...)
	}
	end(t, result, findings)
}

// govulncheck's own database. vulnModule has the same entries, where a proxy of modules has it.
const (
	vulnAddress = "https://vuln.go.dev"
	vulnModule  = "golang.org/x/vulndb@latest"
	// vulnEntries is where they lie within the module, and in a checkout of it.
	vulnEntries = "data/osv"
)

// A database of weaknesses that cannot be reached is no finding, but the report says that
// nobody has looked. GOVULNDB names one: an address, or a folder with a copy of it, with its entries,
// or with a checkout of the module.
func TestGovulncheck(t *testing.T) {
	result := begin(evidence.Result{
		Kind: "SCA", Tool: "govulncheck", Version: version(t, `govulncheck@v(\S+)`, "govulncheck", "-version"),
		Scope: "módulos de terceros y biblioteca estándar", Method: "llamadas alcanzables desde nuestro código", Raw: "govulncheck-*.json",
	})
	database, newest := vulnerabilities(t, os.Getenv("GOVULNDB"))
	if database == "" {
		result.NotRun = "nadie ha revisado: no se alcanza ninguna base de datos de vulnerabilidades (GOVULNDB)"
		t.Log("NOT CHECKED for known vulnerabilities: no database can be reached")
		return
	}
	var findings []evidence.Finding
	for _, module := range modules {
		output, err := govulncheck(filepath.Join(root, module), database)
		if err != nil {
			t.Fatal(err)
		}
		keep(t, "govulncheck-"+module+".json", output)
		found, err := evidence.Govulncheck(module, output)
		if err != nil {
			t.Fatal(err)
		}
		findings = append(findings, found...)
		result.Scope = "módulos de terceros y biblioteca estándar, según " + evidence.VulnerabilityDatabase(output) + newest
	}
	end(t, result, findings)
}

// govulncheck looks for what the code of a module calls in a database.
func govulncheck(dir, database string) ([]byte, error) {
	command := exec.Command("govulncheck", "-db", database, "-format", "json", "./...")
	command.Dir = dir
	var said strings.Builder
	command.Stderr = &said
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("govulncheck with %s: %w: %s", database, err, said.String())
	}
	return output, nil
}

// vulnerabilities is the address of a database: of the one that is named, else of the first that can
// be had, else "". Of a folder of entries newest says how new it is, since their dates are not in it.
func vulnerabilities(t *testing.T, named string) (address, newest string) {
	t.Helper()
	if named != "" {
		return inFolder(t, named)
	}
	response, err := http.Get(vulnAddress + "/index/db.json")
	if err == nil {
		err = response.Body.Close()
	}
	if err == nil && response.StatusCode == http.StatusOK {
		return vulnAddress, ""
	}
	command := exec.Command("go", "mod", "download", "-json", vulnModule)
	command.Dir = t.TempDir()
	output, err := command.Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(output, &module) != nil {
		return "", ""
	}
	return inFolder(t, module.Dir)
}

// inFolder gives the address of a database in a folder, "" if it has none; an address is one already.
func inFolder(t *testing.T, folder string) (address, newest string) {
	t.Helper()
	if strings.Contains(folder, "://") {
		return folder, ""
	}
	full, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{full, filepath.Join(full, vulnEntries)} {
		address := "file://" + filepath.ToSlash(place)
		_, err = os.Stat(filepath.Join(place, "index", "modules.json"))
		if err == nil {
			return address, ""
		}
		entries, err := filepath.Glob(filepath.Join(place, "GO-*.json"))
		if err == nil && len(entries) > 0 {
			return address, ", hasta " + strings.TrimSuffix(filepath.Base(slices.Max(entries)), ".json")
		}
	}
	return "", ""
}

// weak is a module of ours that calls what an entry of a database says is weak.
var weak = map[string]string{
	"go.mod":  "module example.com/weak\n\ngo 1.26\n",
	"main.go": "package main\n\nimport \"net/url\"\n\nfunc main() { _, _ = url.Parse(\"\") }\n",
	"vulndb/data/osv/GO-2026-0001.json": `{"schema_version": "1.3.1", "id": "GO-2026-0001", "modified": "2026-01-02T00:00:00Z", "published": "2026-01-01T00:00:00Z",
		"details": "d", "affected": [{"package": {"name": "stdlib", "ecosystem": "Go"}, "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}],
		"ecosystem_specific": {"imports": [{"path": "net/url", "symbols": ["Parse"]}]}}]}`,
}

// Without a network the entries in a folder are as good as the database that they are of.
func TestGovulncheck_fromAFolder(t *testing.T) {
	dir := t.TempDir()
	for name, content := range weak {
		file := filepath.Join(dir, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644))
		if err != nil {
			t.Fatal(err)
		}
	}
	database, newest := vulnerabilities(t, filepath.Join(dir, "vulndb"))
	if newest != ", hasta GO-2026-0001" {
		t.Errorf("got %q as its newest entry", newest)
	}
	output, err := govulncheck(dir, database)
	if err != nil {
		t.Fatal(err)
	}
	findings, err := evidence.Govulncheck("weak", output)
	if err != nil || len(findings) != 1 || findings[0].ID != "GO-2026-0001" {
		t.Errorf("got %v, %v; want the weakness that main calls", findings, err)
	}
	if looked := evidence.VulnerabilityDatabase(output); !strings.HasSuffix(looked, "/vulndb/data/osv, del 2026-01-02") {
		t.Errorf("got the database %q", looked)
	}
	// govulncheck takes any folder for a database that has nothing to say.
	if database, _ := vulnerabilities(t, t.TempDir()); database != "" {
		t.Errorf("got the database %q of an empty folder, want none", database)
	}
}

func TestLicences(t *testing.T) {
	result := begin(evidence.Result{
		Kind: "SCA", Tool: "deploy/sbom", Version: "CycloneDX 1.6",
		Scope: "los cuatro programas compilados", Method: "lista de componentes y licencias permitidas", Raw: "sbom/*.cdx.json",
	})
	programs, err := filepath.Glob(filepath.Join(binDir, "*"))
	if err != nil || len(programs) != 4 {
		t.Fatalf("the programs are %v (%v)", programs, err)
	}
	command := exec.Command("go", append([]string{"run", "./deploy/sbom", "-o", filepath.Join(folder, "sbom")}, programs...)...)
	command.Dir = root
	output, err := command.CombinedOutput()
	keep(t, "sbom/resumen.txt", output)
	var findings []evidence.Finding
	if err != nil {
		findings = append(findings, evidence.Finding{Severity: evidence.Unrated, ID: "licencia", Where: "deploy/sbom", Text: string(output)})
	}
	end(t, result, findings)
}
