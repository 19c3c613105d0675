package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
)

// A source is the protos as OpenAPI 3, with the orders that kin-openapi's maps lose.
type source struct {
	doc *openapi3.T
	// properties are the fields of each message in the order of the proto.
	properties map[string][]string
	// paths are in the order of the protos.
	paths []string
}

// convert reads what protoc-gen-openapiv2 wrote.
func convert(swagger []byte) (*source, error) {
	var v2 openapi2.T
	err := json.Unmarshal(swagger, &v2)
	if err != nil {
		return nil, fmt.Errorf("read swagger: %w", err)
	}
	doc, err := openapi2conv.ToV3(&v2)
	if err != nil {
		return nil, fmt.Errorf("convert swagger to OpenAPI 3: %w", err)
	}
	tree, err := parseTree(swagger)
	if err != nil {
		return nil, fmt.Errorf("read swagger: %w", err)
	}
	from := &source{doc: doc, properties: map[string][]string{}, paths: tree.child("paths").names()}
	definitions := tree.child("definitions")
	for _, message := range definitions.names() {
		from.properties[message] = definitions.child(message).child("properties").names()
	}
	return from, nil
}

// comment puts the lines of a proto comment back into paragraphs.
func comment(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, paragraph := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(paragraph), " ")
	}
	return strings.TrimSpace(strings.Join(paragraphs, "\n\n"))
}

// headline splits a comment into its first sentence, without the full stop, and the rest.
func headline(text string) (first, rest string) {
	first, rest, found := strings.Cut(text, ". ")
	if !found {
		first, rest, _ = strings.Cut(text, "\n\n")
	}
	return strings.TrimSuffix(first, "."), strings.TrimSpace(rest)
}
