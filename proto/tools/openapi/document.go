package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// documents are the two files as they are written.
type documents struct {
	public, live []byte
}

// build makes both documents.
func build(swagger []byte) (documents, error) {
	live, err := buildOne(swagger, everyPath, liveGroups)
	if err != nil {
		return documents{}, fmt.Errorf("live document: %w", err)
	}
	public, err := buildOne(swagger, isPublic, publicGroups)
	if err != nil {
		return documents{}, fmt.Errorf("public document: %w", err)
	}
	return documents{public: public, live: live}, nil
}

func everyPath(string) bool { return true }

// isPublic tells the routes that are promised to institutions.
func isPublic(path string) bool { return strings.HasPrefix(path, "/cliente/") }

// buildOne makes the document of the paths that are to be kept.
func buildOne(swagger []byte, keep func(path string) bool, groups []group) ([]byte, error) {
	from, err := convert(swagger)
	if err != nil {
		return nil, err
	}
	for _, step := range []func(*source) error{
		describeMessages, describeRoutes, addEdge, addResponses, addExamples,
	} {
		err := step(from)
		if err != nil {
			return nil, err
		}
	}
	for path := range from.doc.Paths.Map() {
		if !keep(path) {
			from.doc.Paths.Delete(path)
		}
	}
	from.doc.Servers = openapi3.Servers{{URL: exampleBase, Description: "La dirección que le dio el operador."}}
	err = describeWhole(from.doc, groups)
	if err != nil {
		return nil, err
	}
	err = prune(from.doc)
	if err != nil {
		return nil, err
	}
	return from.finish()
}

// finish orders the parts of the document, and checks it as it is written: OpenAPI's
// rules, and each example against its schema.
func (s *source) finish() ([]byte, error) {
	text, err := marshal(s.doc)
	if err != nil {
		return nil, err
	}
	document, err := parseTree(text)
	if err != nil {
		return nil, err
	}
	document.arrangeDocument(s)
	text, err = document.document()
	if err != nil {
		return nil, err
	}
	return text, validate(text)
}

func validate(text []byte) error {
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return fmt.Errorf("load document: %w", err)
	}
	err = doc.Validate(context.Background(), openapi3.EnableExamplesValidation())
	if err != nil {
		return fmt.Errorf("validate document: %w", err)
	}
	return nil
}

// prune deletes components until all that are left are referred to.
func prune(doc *openapi3.T) error {
	for dropped := -1; dropped != 0; {
		text, err := marshal(doc)
		if err != nil {
			return err
		}
		all := doc.Components
		dropped = keepUsed(text, `"#/components/schemas/%s"`, all.Schemas) +
			keepUsed(text, `"#/components/responses/%s"`, all.Responses) +
			keepUsed(text, `"#/components/headers/%s"`, all.Headers) +
			keepUsed(text, `"#/components/examples/%s"`, all.Examples) +
			keepUsed(text, `"security":[{"%s":`, all.SecuritySchemes)
	}
	return nil
}

func keepUsed[V any](text []byte, reference string, components map[string]V) (dropped int) {
	for name := range components {
		if !bytes.Contains(text, fmt.Appendf(nil, reference, name)) {
			delete(components, name)
			dropped++
		}
	}
	return dropped
}
