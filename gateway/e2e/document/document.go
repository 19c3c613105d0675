// Package document holds what the gateway answers against the OpenAPI document that it
// serves, in both directions: [Document.Check] finds what is answered and not documented,
// [Seen.Missing] what is documented and was never answered.
//
// kin-openapi judges bodies by their schemas. This package adds what it leaves out: an
// undocumented status, header, body or codigo, and HEAD. Answers are judged more strictly
// than clients must be: the document leaves them open for fields to come, here every schema
// is closed. It is imported by tests only.
package document

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// A Document is what one gateway says of itself. It is safe for concurrent use.
type Document struct {
	doc *openapi3.T
}

// Parse reads a document and checks it as a whole: OpenAPI's rules, that its server is the
// address it was read from, and each example against its schema, answers' closed ones included.
func Parse(text []byte, address string) (*Document, error) {
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, fmt.Errorf("load document: %w", err)
	}
	if len(doc.Servers) != 1 || doc.Servers[0].URL != address {
		return nil, fmt.Errorf("the document's server is not %s alone", address)
	}
	closeSchemas(doc.Components.Schemas)
	err = doc.Validate(context.Background(), openapi3.EnableExamplesValidation())
	if err != nil {
		return nil, fmt.Errorf("validate document: %w", err)
	}
	return &Document{doc: doc}, nil
}

func closeSchemas(schemas openapi3.Schemas) {
	for _, schema := range schemas {
		rest := &schema.Value.AdditionalProperties
		if len(schema.Value.Properties) > 0 && rest.Has == nil && rest.Schema == nil {
			rest.Has = new(false)
		}
	}
}

// An Operation is a documented method of a path.
type Operation struct {
	Method, Path string
	ID           string
	// Credential is the security scheme that it asks for, "" for none.
	Credential string
	// Statuses are the documented ones, in order.
	Statuses []int
	// TakesBody tells whether a body is documented, and Requests are its examples by name.
	TakesBody bool
	Requests  map[string]any
}

// Operations lists all, in the order of their paths.
func (d *Document) Operations() []Operation {
	var all []Operation
	for path, item := range d.doc.Paths.Map() {
		for method, documented := range item.Operations() {
			all = append(all, newOperation(method, path, documented))
		}
	}
	slices.SortFunc(all, func(a, b Operation) int { return strings.Compare(a.Path+a.Method, b.Path+b.Method) })
	return all
}

func newOperation(method, path string, documented *openapi3.Operation) Operation {
	made := Operation{Method: method, Path: path, ID: documented.OperationID, Requests: map[string]any{}}
	for _, requirement := range *documented.Security {
		for scheme := range requirement {
			made.Credential = scheme
		}
	}
	for status := range documented.Responses.Map() {
		number, err := strconv.Atoi(status)
		if err == nil { // "default" and "4XX" are no statuses of their own
			made.Statuses = append(made.Statuses, number)
		}
	}
	slices.Sort(made.Statuses)
	made.TakesBody = documented.RequestBody != nil
	if made.TakesBody {
		for name, example := range documented.RequestBody.Value.Content.Get("application/json").Examples {
			made.Requests[name] = example.Value.Value
		}
	}
	return made
}

// An operation is one as it was found for a request.
type operation struct {
	*openapi3.Operation
	method, path string // as documented
}

var slashes = regexp.MustCompile(`//+`)

// find gives what is documented for a request, nil if nothing is. HEAD is GET without a
// body, and a run of slashes is one. known tells whether the path has any operation.
func (d *Document) find(method, escapedPath string) (found *operation, known bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	escapedPath = slashes.ReplaceAllLiteralString(escapedPath, "/")
	for _, pattern := range d.doc.Paths.InMatchingOrder() {
		if !matches(pattern, escapedPath) {
			continue
		}
		documented := d.doc.Paths.Value(pattern).Operations()[method]
		if documented != nil {
			return &operation{documented, method, pattern}, true
		}
		known = true
	}
	return nil, known
}

// matches compares segment by segment: a final slash or an escaped letter is another path,
// as it is for the gateway.
func matches(pattern, path string) bool {
	wanted, given := strings.Split(pattern, "/"), strings.Split(path, "/")
	return slices.EqualFunc(wanted, given, func(want, got string) bool {
		return want == got || strings.HasPrefix(want, "{") && got != ""
	})
}

// errorSchema is the form of the errors of a path: the national platform's on its routes,
// else RFC 9457's.
func (d *Document) errorSchema(path, contentType string) (*openapi3.Schema, error) {
	want, name := "application/problem+json", "Problema"
	if d.isPlatform(path) {
		want, name = "application/json", "ErrorDePlataforma"
	}
	if contentType != want {
		return nil, fmt.Errorf("its Content-Type is %q and not %s", contentType, want)
	}
	schema := d.doc.Components.Schemas[name]
	if schema == nil {
		return nil, errors.New("the document has no schema " + name)
	}
	return schema.Value, nil
}

// isPlatform tells a path by the form of the errors that are documented for its operation.
func (d *Document) isPlatform(path string) bool {
	found, _ := d.find(http.MethodPost, path)
	if found == nil {
		return false
	}
	tooMany := found.Responses.Status(http.StatusTooManyRequests)
	return tooMany != nil && tooMany.Value.Content["application/json"] != nil
}
