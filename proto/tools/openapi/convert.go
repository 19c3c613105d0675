package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
)

// A source is the protos as OpenAPI 3, with the orders that kin-openapi's maps lose.
type source struct {
	doc     *openapi3.T
	methods []method
	// edge and texts are what no proto says.
	edge  *openapi3.T
	texts refusalTexts
	// properties are the fields of each message in the order of the proto.
	properties map[string][]string
	// paths are in the order of the protos.
	paths []string
	// sent are the messages that clients send.
	sent map[string]bool
}

// answerName finds the names of answers' messages. Generators of clients call all that came back
// from a call "<operationId>Response"; a schema of that name would be a second type with it, and
// the client would not compile.
var answerName = regexp.MustCompile(`(["/])(\w+)Response"`)

// convert reads what protoc-gen-openapiv2 wrote.
func convert(swagger []byte) (*source, error) {
	swagger = answerName.ReplaceAll(swagger, []byte(`${1}${2}Resultado"`))
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
	methods, err := readMethods()
	if err != nil {
		return nil, err
	}
	from := &source{doc: doc, methods: methods, properties: map[string][]string{}, paths: tree.child("paths").names(), sent: map[string]bool{}}
	from.noteProperties(tree.child("definitions"))
	from.edge, err = readEdge()
	if err != nil {
		return nil, err
	}
	from.texts, err = readRefusals()
	return from, err
}

func (s *source) noteProperties(schemas *tree) {
	for _, schema := range schemas.members {
		s.properties[schema.name] = schema.value.child("properties").names()
	}
}

// comment puts the lines of a proto comment back into paragraphs.
func comment(text string) string {
	split := strings.Split(text, "\n\n")
	for i, paragraph := range split {
		split[i] = strings.Join(strings.Fields(paragraph), " ")
	}
	return paragraphs(split...)
}

// headline splits a comment into its first sentence, without the full stop, and the rest.
func headline(text string) (first, rest string) {
	head, tail, _ := strings.Cut(text, "\n\n")
	first, rest, _ = strings.Cut(head, ". ")
	return strings.TrimSuffix(first, "."), paragraphs(rest, tail)
}

// paragraphs joins what is not empty.
func paragraphs(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
}

func ref(schema string) *openapi3.SchemaRef {
	return openapi3.NewSchemaRef("#/components/schemas/"+schema, nil)
}

func responseRef(name string) *openapi3.ResponseRef {
	return &openapi3.ResponseRef{Ref: "#/components/responses/" + name}
}

func setResponse(responses *openapi3.Responses, status int, response *openapi3.ResponseRef) {
	responses.Set(strconv.Itoa(status), response)
}

func headers(names ...string) openapi3.Headers {
	made := openapi3.Headers{}
	for _, name := range names {
		made[name] = &openapi3.HeaderRef{Ref: "#/components/headers/" + name}
	}
	return made
}
