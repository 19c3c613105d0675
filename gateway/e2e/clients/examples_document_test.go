package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var route = regexp.MustCompile(`/cliente/[a-z]+(/[a-z]+)*`)

// TestExamples_useWhatIsDocumented holds those that are not run too: every example asks for
// the same documented routes, sends every documented field, and knows the headers.
func TestExamples_useWhatIsDocumented(t *testing.T) {
	t.Parallel()
	paths, fields := documented(t)
	for language, e := range examples {
		content, err := os.ReadFile(filepath.Join("../../../proto/examples", e.path))
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		for _, asked := range route.FindAllString(text, -1) {
			if !slices.Contains(paths, asked) {
				t.Errorf("%s asks for %s, which is not documented", language, asked)
			}
		}
		wanted := []string{"/cliente/registros/validar", "/cliente/registros/lote", "X-API-Key", "If-None-Match", "BASE_URL", "API_KEY"}
		for _, list := range []string{"casos", "coincidencias", "reportes"} {
			if !slices.Contains(paths, "/cliente/"+list) {
				t.Errorf("the list %s is not documented", list)
			}
			wanted = append(wanted, list)
		}
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not use %s", language, want)
			}
		}
		if !strings.Contains(strings.ToLower(text), "retry-after") {
			t.Errorf("%s does not wait as long as it is told", language)
		}
		checkFields(t, language, text, fields)
	}
}

// checkFields holds the list of fields that an example begins with.
func checkFields(t *testing.T, language, text string, fields []string) {
	t.Helper()
	_, list, _ := strings.Cut(text, "sale de su institución.")
	list, _, found := strings.Cut(list, "fecha de toma")
	if !found {
		t.Fatalf("%s has no list of fields", language)
	}
	// Between quotes or spaces, a field or what looks like one.
	field := regexp.MustCompile(`[\s'"](` + strings.Join(fields, "|") + `|[a-z]+_[a-z_]+|[a-z_]+/[a-z_]+)[\s'"]`)
	// Every blank twice, for a match takes the one before and the one after a field.
	list = strings.NewReplacer(" ", "  ", "\n", "\n\n", ",", " , ").Replace(list)
	var sent []string
	for _, match := range field.FindAllStringSubmatch(list, -1) {
		sent = append(sent, match[1])
	}
	slices.Sort(sent)
	if !slices.Equal(sent, fields) {
		t.Errorf("%s sends %q, and documented are %q", language, sent, fields)
	}
}

// documented gives the paths of the contract, and the fields of a record.
func documented(t *testing.T) (paths, fields []string) {
	t.Helper()
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Paths      map[string]any
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	err = json.Unmarshal(content, &contract)
	if err != nil {
		t.Fatal(err)
	}
	for path := range contract.Paths {
		paths = append(paths, path)
	}
	for name := range contract.Components.Schemas["Registro"].Properties {
		if name != "domicilio" && name != "direccion_evento" {
			fields = append(fields, name)
			continue
		}
		for part := range contract.Components.Schemas["Direccion"].Properties {
			fields = append(fields, name+"/"+part)
		}
	}
	slices.Sort(fields)
	return paths, fields
}
