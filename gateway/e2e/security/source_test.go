//go:build security

package security

import (
	"os/exec"
	"path/filepath"
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

// A database of weaknesses that cannot be reached is no finding, but the report says that
// nobody has looked. GOVULNDB names another one, such as a mirror.
func TestGovulncheck(t *testing.T) {
	result := begin(evidence.Result{
		Kind: "SCA", Tool: "govulncheck", Version: version(t, `govulncheck@v(\S+)`, "govulncheck", "-version"),
		Scope: "módulos de terceros y biblioteca estándar", Method: "llamadas alcanzables desde nuestro código", Raw: "govulncheck-*.json",
	})
	var findings []evidence.Finding
	for _, module := range modules {
		command := exec.Command("govulncheck", "-format", "json", "./...")
		command.Dir = filepath.Join(root, module)
		var said strings.Builder
		command.Stderr = &said
		output, err := command.Output()
		if err != nil && strings.Contains(said.String(), "fetching vulnerabilities") {
			result.NotRun = "no se alcanza la base de datos de vulnerabilidades (GOVULNDB)"
			t.Logf("NOT CHECKED for known vulnerabilities: %s", said.String())
			return
		}
		if err != nil {
			t.Fatalf("govulncheck: %v\n%s", err, said.String())
		}
		keep(t, "govulncheck-"+module+".json", output)
		found, err := evidence.Govulncheck(module, output)
		if err != nil {
			t.Fatal(err)
		}
		findings = append(findings, found...)
	}
	end(t, result, findings)
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
