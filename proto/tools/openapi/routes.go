package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// describeRoutes replaces what the plugin says of each route by the whole of it.
func describeRoutes(from *source) error {
	generated := from.paths
	from.paths = nil
	for _, row := range operations {
		before := len(from.paths)
		for _, path := range generated {
			err := row.describePath(from, path)
			if err != nil {
				return fmt.Errorf("describe %s: %w", path, err)
			}
		}
		if len(from.paths) == before {
			return fmt.Errorf("operations.go: the protos have no route for %s", row.rpc)
		}
	}
	for _, path := range generated {
		if !slices.Contains(from.paths, path) {
			return fmt.Errorf("operations.go: nothing is said of %s", path)
		}
	}
	return nil
}

// describePath describes the routes of the path that lead to the operation's RPC.
func (o operation) describePath(from *source, path string) error {
	item := from.doc.Paths.Value(path)
	for method, generated := range item.Operations() {
		// The plugin numbers the second and later routes of an RPC.
		if strings.TrimRight(generated.OperationID, "0123456789") != o.rpc {
			continue
		}
		made, err := o.describe(from, path, generated)
		if err != nil {
			return err
		}
		item.SetOperation(method, made)
		from.paths = append(from.paths, path)
	}
	return nil
}

func (o operation) describe(from *source, path string, generated *openapi3.Operation) (*openapi3.Operation, error) {
	summary, rest := headline(comment(generated.Summary + "\n\n" + generated.Description))
	if o.summary != "" {
		summary, rest = o.summary, o.comment
	}
	made := &openapi3.Operation{
		Tags:        []string{o.tag},
		Summary:     summary,
		Description: paragraphs(rest, o.detail),
		OperationID: o.rpc,
		Security:    o.access.requirement(),
		Parameters:  o.parameters(generated),
	}
	if isInstitutionAddress(path) {
		made.OperationID += "Institucion"
		made.Summary += " (dirección única)"
		made.Description = paragraphs(made.Description, "Es la misma función que en la raíz, bajo la dirección única y estable de una institución.")
	}
	var err error
	made.RequestBody, err = o.requestBody(from, generated)
	if err != nil {
		return nil, err
	}
	made.Responses, err = o.responses(generated)
	if err != nil {
		return nil, err
	}
	return made, o.addRefusals(path, made.Responses)
}

func isInstitutionAddress(path string) bool {
	return strings.HasPrefix(path, "/i/{id_empresa}/")
}

// paragraphs joins what is not empty.
func paragraphs(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
}

func (a access) requirement() *openapi3.SecurityRequirements {
	switch a {
	case apiKey:
		return &openapi3.SecurityRequirements{{"ApiKey": []string{}}}
	case token:
		return &openapi3.SecurityRequirements{{"Token": []string{}}}
	default:
		return &openapi3.SecurityRequirements{}
	}
}
