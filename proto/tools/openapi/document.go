package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/pb33f/ordered-map/v2"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/proto/opciones"
)

// files are what the documents contain besides. guia/ is the guide for institutions. ejemplos/ are
// bodies as they travel, which the end-to-end tests send: <RPC>.json, and <RPC>.<status>.json what is
// answered. edge.json is what the gateway answers itself and no proto says; where it names a chapter
// of the guide or a shared example, that is meant.
//
//go:embed edge.json refusals.json guia ejemplos
var files embed.FS

// A document is what the plugin made of the protos, and is completed in place.
type document struct {
	*openapi3.T
	edge       *openapi3.T
	groups     []group
	refusals   refusalTexts
	parameters map[string]string
	methods    map[string]method
	// sent are the schemas of what clients send, and properties those of all.
	sent       map[string]bool
	properties map[string]*properties
}

// A group is a heading over tags in ReDoc's menu.
type group struct {
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}

// properties are those of a schema in the order of the proto, in which readers meet them.
type properties = orderedmap.OrderedMap[string, *openapi3.SchemaRef]

// build makes both documents.
func build(swagger []byte) (public, live []byte, err error) {
	d, err := convert(swagger)
	if err != nil {
		return nil, nil, err
	}
	err = d.describeOperations()
	if err != nil {
		return nil, nil, err
	}
	d.describeSchemas()
	err = d.addEdge()
	if err != nil {
		return nil, nil, err
	}
	d.addRefusals()
	d.keepOrder()
	live, liveErr := d.text()
	d.keepPublic()
	public, publicErr := d.text()
	return public, live, errors.Join(liveErr, publicErr)
}

// replacer joins the lines of the paragraphs of proto comments, and renames the messages of answers.
// Generators of clients call all that came back from a call "<operationId>Response"; with a schema of
// that name the client would not compile.
var replacer = strings.NewReplacer(`\n\n`, `\n\n`, `\n`, ` `, `Response"`, `Resultado"`)

// convert reads what protoc-gen-openapiv2 wrote, and the files.
func convert(swagger []byte) (*document, error) {
	swagger = []byte(replacer.Replace(string(swagger)))
	type schemas map[string]struct{ Properties *properties }
	var v2 openapi2.T
	var made struct{ Definitions schemas }
	var edge struct {
		Groups     []group `json:"x-tagGroups"`
		Components struct{ Schemas schemas }
	}
	d := &document{edge: &openapi3.T{}, methods: map[string]method{}, sent: map[string]bool{}, properties: map[string]*properties{}}
	for _, into := range []any{&v2, &made} {
		err := json.Unmarshal(swagger, into)
		if err != nil {
			return nil, fmt.Errorf("read swagger: %w", err)
		}
	}
	for _, file := range []struct {
		name string
		into any
	}{{"edge.json", d.edge}, {"edge.json", &edge}, {"refusals.json", &d.refusals}, {"ejemplos/parametros.json", &d.parameters}} {
		text, err := files.ReadFile(file.name)
		if err != nil {
			return nil, err
		}
		err = json.Unmarshal(text, file.into)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file.name, err)
		}
	}
	d.groups = edge.Groups
	maps.Copy(made.Definitions, edge.Components.Schemas)
	for name, schema := range made.Definitions {
		if schema.Properties != nil {
			d.properties[name] = schema.Properties
		}
	}
	all, err := opciones.Todos()
	if err != nil {
		return nil, err
	}
	for _, each := range all {
		if each.Rule() != nil {
			d.methods[string(each.Descriptor.Name())] = method{each}
		}
	}
	d.T, err = openapi2conv.ToV3(&v2)
	if err != nil {
		return nil, fmt.Errorf("convert swagger to OpenAPI 3: %w", err)
	}
	return d, nil
}

// addEdge joins edge.json, with the files that it names, and what was made of the protos.
func (d *document) addEdge() error {
	made := d.T
	d.T = d.edge
	for path, item := range made.Paths.Map() {
		d.Paths.Set(path, item)
	}
	schemas := d.Components.Schemas
	maps.Copy(schemas, made.Components.Schemas)
	for _, example := range d.Components.Examples {
		var err error
		example.Value.Value, err = readExample(example.Value.Value.(string))
		if err != nil {
			return err
		}
	}
	chapters := []*string{&d.Info.Description}
	for _, tag := range d.Tags {
		if isGuide(tag) {
			chapters = append(chapters, &tag.Description)
		}
	}
	for _, chapter := range chapters {
		text, err := files.ReadFile("guia/" + *chapter)
		if err != nil {
			return fmt.Errorf("read guide: %w", err)
		}
		*chapter = strings.TrimSpace(string(text))
	}
	d.Info.Version = opciones.VersionContrato
	var codigos []any
	for _, motivo := range errores.Motivos() {
		codigos = append(codigos, errores.Codigo(motivo))
		// The types of problems lead to a section of each codigo.
		d.Tags.Get("Errores").Description += fmt.Sprintf("\n\n## %s\n\n**%d · %s.**\n\n*Causa.* %s\n\n*Qué hacer.* %s", errores.Codigo(motivo),
			errores.Status(motivo), errores.Titulo(motivo), errores.Causa(motivo), errores.Cura(motivo))
	}
	schemas["Problema"].Value.Properties["codigo"].Value.Enum = codigos
	schemas["ErrorDePlataforma"].Value.Properties["codigo"].Value.Enum = codigos
	d.Paths.Value("/errores/{codigo}").Get.Parameters[0].Value.Schema.Value.Enum = codigos
	return nil
}

// isGuide reports whether the tag is a chapter of the guide: one without routes, which ReDoc shows
// as text.
func isGuide(tag *openapi3.Tag) bool { return tag.Extensions["x-traitTag"] != nil }

// keepPublic leaves of the document of every route the public contract: what is promised to institutions.
func (d *document) keepPublic() {
	used := map[string]bool{}
	for path, item := range d.Paths.Map() {
		if !strings.HasPrefix(path, "/cliente/") {
			d.Paths.Delete(path)
			continue
		}
		for _, operation := range item.Operations() {
			used[operation.Tags[0]] = true
		}
	}
	d.Tags = slices.DeleteFunc(d.Tags, func(tag *openapi3.Tag) bool { return !used[tag.Name] && !isGuide(tag) })
	for i := range d.groups {
		d.groups[i].Tags = slices.DeleteFunc(d.groups[i].Tags, func(name string) bool { return d.Tags.Get(name) == nil })
	}
	d.Extensions["x-tagGroups"] = slices.DeleteFunc(d.groups, func(g group) bool { return len(g.Tags) == 0 })
}

// keepOrder has the properties of all schemas written in their order. kin-openapi has no order, and
// writes an extension of any name as a member.
func (d *document) keepOrder() {
	for name, order := range d.properties {
		schema := d.Components.Schemas[name].Value
		for field, property := range schema.Properties {
			order.Set(field, property)
		}
		schema.Properties, schema.Extensions = nil, map[string]any{"properties": order}
	}
}

// plain undoes the escapes for HTML.
var plain = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// text writes the document without the components that nothing refers to, which may leave others so,
// and checks it as it is written: OpenAPI's rules, and each example against its schema.
func (d *document) text() ([]byte, error) {
	for all := d.Components; ; {
		text, err := json.MarshalIndent(d.T, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("marshal document: %w", err)
		}
		dropped := keepUsed(text, `"#/components/schemas/%s"`, all.Schemas) +
			keepUsed(text, `"#/components/responses/%s"`, all.Responses) +
			keepUsed(text, `"#/components/headers/%s"`, all.Headers) +
			keepUsed(text, `"#/components/parameters/%s"`, all.Parameters) +
			keepUsed(text, `"#/components/examples/%s"`, all.Examples) +
			keepUsed(text, `"%s": []`, all.SecuritySchemes)
		if dropped == 0 {
			text = append([]byte(plain.Replace(string(text))), '\n')
			return text, validate(text)
		}
	}
}

func keepUsed[V any](text []byte, reference string, components map[string]V) (dropped int) {
	before := len(components)
	maps.DeleteFunc(components, func(name string, _ V) bool { return !bytes.Contains(text, fmt.Appendf(nil, reference, name)) })
	return before - len(components)
}

func validate(text []byte) error {
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return fmt.Errorf("load document: %w", err)
	}
	return doc.Validate(context.Background(), openapi3.EnableExamplesValidation())
}
