package docs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/proto/errores"
)

// An openapi is what the tests read of a document.
type openapi struct {
	Servers []struct{ URL string }
	Tags    []struct {
		Name, Description string
	}
	Paths      map[string]map[string]operation
	Components struct {
		Schemas   map[string]schema
		Responses map[string]response
	}
}

type operation struct {
	OperationID string
	Security    []map[string]any
	RequestBody *struct {
		Content map[string]struct{ Schema schema }
	}
	Responses map[string]response
}

type response struct {
	Ref     string `json:"$ref"`
	Content map[string]struct {
		Schema   schema
		Examples map[string]struct{ Value json.RawMessage }
	}
}

type schema struct {
	Ref        string `json:"$ref"`
	Enum       []string
	Required   []string
	Properties map[string]struct {
		Enum     []any
		MaxItems int
	}
	OneOf []schema
}

func readDocument(t *testing.T, cfg Config) openapi {
	t.Helper()
	text, err := cfg.document()
	if err != nil {
		t.Fatal(err)
	}
	var document openapi
	err = json.Unmarshal(text, &document)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func TestConfig_document(t *testing.T) {
	for _, tt := range []struct {
		cfg     Config
		address string
	}{
		{Config{PublicURL: "http://localhost:8080"}, "http://localhost:8080"},
		{Config{PublicURL: "https://api.example.mx", RootPath: "/a/b"}, "https://api.example.mx/a/b"},
	} {
		document := readDocument(t, tt.cfg)
		if len(document.Servers) != 1 || document.Servers[0].URL != tt.address {
			t.Errorf("%s: servers are %v", tt.address, document.Servers)
		}
		if got := document.exampleOf(t, errores.Interno)["type"]; got != tt.address+"/errores/interno" {
			t.Errorf("%s: the type of a problem is %v", tt.address, got)
		}
		if guide := sectionOf(t, document, "Los envíos"); !strings.Contains(guide, tt.address+"/cliente/registros/lote") {
			t.Errorf("%s: the guide has another address", tt.address)
		}
	}
}
