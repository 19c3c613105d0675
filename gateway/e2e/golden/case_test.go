package golden

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// A goldenCase is one file of testdata: two YAML documents, what is asked and what is
// answered. Only the second is written by -update, so the first may have comments.
//
// Every text of the first document is a template. It knows what [institucion.known] lists,
// what earlier steps kept, and the functions of [templateFuncs].
type goldenCase struct {
	name  string // route and case: "login/clave_equivocada"
	path  string
	asked []byte // the first document, as it stands in the file
	About string `yaml:"about"`
	While string `yaml:"while"` // a circumstance, see circumstances
	// Whose names the institution: cases with the same name share one, those of [newcomers]
	// are ones that nobody else uses.
	Whose string `yaml:"institucion"`
	Setup []step `yaml:"setup"` // requests that come before
	Asked step   `yaml:"request"`
	// Bodyless leaves the body out of the answer as stated.
	Bodyless bool `yaml:"bodyless"`
	expect   goldenAnswer
}

// A step is one request.
type step struct {
	Method     string            `yaml:"method"`
	Path       string            `yaml:"path"`
	Credential string            `yaml:"credential"` // see credentials
	Headers    map[string]string `yaml:"headers"`
	// Body is sent as JSON, Raw as it stands, Registros as a batch of so many generic ones.
	Body      yaml.Node `yaml:"body"`
	Raw       *string   `yaml:"raw"`
	Registros int       `yaml:"registros"`
	// Size pads the body with spaces to so many bytes.
	Size    int  `yaml:"size"`
	Gzip    bool `yaml:"gzip"`
	Chunked bool `yaml:"chunked"`
	// Stops keeps the last byte of the body back.
	Stops bool `yaml:"stops"`
	// Sign gives the body the signature of Standard Webhooks.
	Sign *signature `yaml:"sign"`
	// Until repeats the request until it has that status, and UntilHas until the answer has
	// that text.
	Until    int    `yaml:"until"`
	UntilHas string `yaml:"until_has"`
	// Keep names what later steps use: a member of the answer, or of its first element, or a
	// header as "header:ETag".
	Keep map[string]string `yaml:"keep"`
}

// A goldenAnswer is the second document. Texts that differ from run to run stand in it as
// "<instante>" and the like, see settled.
type goldenAnswer struct {
	Status  int               `yaml:"status"`
	Headers map[string]string `yaml:"headers,omitempty"`
	Body    any               `yaml:"body,omitempty"`
}

const goldenFolder = "testdata"

// goldenCases reads every file.
func goldenCases(t *testing.T) []*goldenCase {
	t.Helper()
	var all []*goldenCase
	err := filepath.WalkDir(goldenFolder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		c, err := readGolden(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func readGolden(path string) (*goldenCase, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	asked, answered, _ := bytes.Cut(content, []byte("\n---\n"))
	relative, err := filepath.Rel(goldenFolder, path)
	if err != nil {
		return nil, err
	}
	c := &goldenCase{name: strings.TrimSuffix(filepath.ToSlash(relative), ".yaml"), path: path, asked: asked}
	err = decodeStrictly(asked, c)
	if err != nil {
		return nil, err
	}
	err = decodeStrictly(answered, &c.expect)
	if err != nil && !errors.Is(err, io.EOF) { // a new case has no answer yet
		return nil, err
	}
	return c, nil
}

func decodeStrictly(document []byte, target any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(document))
	decoder.KnownFields(true)
	return decoder.Decode(target)
}

// rewrite puts another answer into the file.
func (c *goldenCase) rewrite(answered goldenAnswer) error {
	var content bytes.Buffer
	content.Write(bytes.TrimRight(c.asked, "\n"))
	content.WriteString("\n---\n")
	encoder := yaml.NewEncoder(&content)
	encoder.SetIndent(2)
	err := errors.Join(encoder.Encode(answered), encoder.Close())
	if err != nil {
		return err
	}
	return os.WriteFile(c.path, content.Bytes(), 0o644)
}

// expand fills in the templates of a text.
func expand(text string, known map[string]string) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	parsed, err := template.New("text").Option("missingkey=error").Funcs(templateFuncs).Parse(text)
	if err != nil {
		return "", err
	}
	var expanded strings.Builder
	err = parsed.Execute(&expanded, known)
	return expanded.String(), err
}

var templateFuncs = template.FuncMap{
	"repeat": strings.Repeat,
	// totp is what an app with that secret shows now.
	"totp": totp,
	// day is a day before or after today in Mexico City.
	"day": harness.Day,
	// instant is a moment as RFC 3339, so many seconds from now.
	"instant": func(seconds int) string {
		return time.Now().Add(time.Duration(seconds) * time.Second).UTC().Format(time.RFC3339)
	},
}

// expandNode does the same with every text of a document.
func expandNode(node *yaml.Node, known map[string]string) (*yaml.Node, error) {
	expanded := *node
	expanded.Content = nil
	if node.Kind == yaml.AliasNode {
		return expandNode(node.Alias, known)
	}
	var err error
	if node.Kind == yaml.ScalarNode {
		expanded.Value, err = expand(node.Value, known)
		return &expanded, err
	}
	for _, child := range node.Content {
		inner, err := expandNode(child, known)
		if err != nil {
			return nil, err
		}
		expanded.Content = append(expanded.Content, inner)
	}
	return &expanded, nil
}
