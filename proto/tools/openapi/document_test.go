package main

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/pb33f/ordered-map/v2"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

func loadDocument(t *testing.T, path string) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(readFile(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestValidate_examples holds that an example which breaks its schema is found: in a
// request, an answer and an error.
func TestValidate_examples(t *testing.T) {
	document := string(readFile(t, publicPath))
	err := validate([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []struct{ old, broken string }{
		{`"curp": "LOXM851203MQTPXR00"`, `"curp": "LOXM851203MQTPXR0"`},
		{`"fecha_evento": "2025-05-06"`, `"fecha_evento": "06/05/2025"`},
		{`"mensaje": "pong"`, `"mensaje": "ping"`},
		{`"sin_cambios": 2,`, ``},
		{`"codigo": "lote_vacio"`, `"codigo": "vacio"`},
		{`"folio": "A-1",`, `"folio": "A-1", "estudio": "x",`},
	} {
		if !strings.Contains(document, change.old) {
			t.Errorf("no example has %s", change.old)
		}
		err := validate([]byte(strings.ReplaceAll(document, change.old, change.broken)))
		if err == nil {
			t.Errorf("%s is not found", change.broken)
		}
	}
}

// TestDocuments_public holds that the public contract says of its routes what the live
// document says.
func TestDocuments_public(t *testing.T) {
	public, live := loadDocument(t, publicPath), loadDocument(t, livePath)
	for path := range live.Paths.Map() {
		if ofInstitutions := strings.HasPrefix(path, "/cliente/"); ofInstitutions != (public.Paths.Value(path) != nil) {
			t.Errorf("%s is of institutions: %t, and not so in the public contract", path, ofInstitutions)
		}
	}
	for path, item := range public.Paths.Map() {
		if text(t, item) != text(t, live.Paths.Value(path)) {
			t.Errorf("%s differs", path)
		}
	}
	for name, schema := range public.Components.Schemas {
		if text(t, schema.Value) != text(t, live.Components.Schemas[name].Value) {
			t.Errorf("%s differs", name)
		}
	}
	if public.Components.SecuritySchemes["Token"] != nil {
		t.Error("the public contract has a scheme that none of its routes uses")
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	written, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(written)
}

// TestDocuments_everyTextIsUsed finds refusals, parts of edge.json, examples and chapters that
// nothing shows.
func TestDocuments_everyTextIsUsed(t *testing.T) {
	live := loadDocument(t, livePath)
	d, err := convert(swagger)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range d.refusals.Refusals {
		if live.Components.Responses[each.Name] == nil {
			t.Errorf("no route answers %s", each.Name)
		}
	}
	own := d.edge.Components
	for name := range own.Schemas {
		if live.Components.Schemas[name] == nil {
			t.Errorf("nothing has the schema %s", name)
		}
	}
	for name := range own.Headers {
		if live.Components.Headers[name] == nil {
			t.Errorf("nothing has the header %s", name)
		}
	}
	for name := range d.parameters {
		if !strings.Contains(text(t, live.Paths), `"name":"`+name+`"`) {
			t.Errorf("nothing has the parameter %s", name)
		}
	}
	shown := map[string]bool{"ejemplos/parametros.json": true, "guia/" + d.edge.Info.Description: true}
	for _, example := range own.Examples {
		shown["ejemplos/"+example.Value.Value.(string)+".json"] = true
	}
	for _, item := range live.Paths.Map() {
		for _, operation := range item.Operations() {
			for status := range operation.Responses.Map() {
				shown["ejemplos/"+operation.OperationID+"."+status+".json"] = true
			}
			shown["ejemplos/"+operation.OperationID+".json"] = operation.RequestBody != nil
		}
	}
	for _, tag := range d.edge.Tags {
		shown["guia/"+tag.Description] = true
	}
	names, err := fs.Glob(files, "*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !shown[name] {
			t.Errorf("nothing shows %s", name)
		}
	}
}

// Only operators' routes read parameters of the query. A field of a request that is none is INTERNAL.
func TestDocuments_query(t *testing.T) {
	filters := 0
	for path, item := range loadDocument(t, livePath).Paths.Map() {
		for method, operation := range item.Operations() {
			for _, parameter := range operation.Parameters {
				if parameter.Value.In != openapi3.ParameterInQuery {
					continue
				}
				filters++
				if !strings.HasPrefix(path, "/operador/") {
					t.Errorf("%s %s reads %s", method, path, parameter.Value.Name)
				}
			}
		}
	}
	if filters == 0 {
		t.Error("no route reads a parameter")
	}
}

// contract.md section 2: every documented field of an answer is always present.
func TestDocuments_answersAreWhole(t *testing.T) {
	d, err := convert(swagger)
	if err != nil {
		t.Fatal(err)
	}
	err = d.describeOperations()
	if err != nil {
		t.Fatal(err)
	}
	for name, schema := range loadDocument(t, livePath).Components.Schemas {
		if d.sent[name] || name == "Evento" {
			continue
		}
		for field := range schema.Value.Properties {
			optional := name == "ErrorDeCampo" && field == "byte"
			if !optional && !slices.Contains(schema.Value.Required, field) {
				t.Errorf("%s.%s is not required", name, field)
			}
		}
	}
}

// Readers meet the fields of a message in the order of the proto.
func TestDocuments_order(t *testing.T) {
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties *orderedmap.OrderedMap[string, any]
			}
		}
	}
	err := json.Unmarshal(readFile(t, publicPath), &document)
	if err != nil {
		t.Fatal(err)
	}
	fields := (&registrosv1.Direccion{}).ProtoReflect().Descriptor().Fields()
	var want []string
	for i := range fields.Len() {
		want = append(want, string(fields.Get(i).Name()))
	}
	for name, want := range map[string][]string{
		"Direccion": want,
		"Problema":  {"type", "title", "status", "detail", "instance", "codigo", "request_id", "errores"},
	} {
		got := slices.Collect(document.Components.Schemas[name].Properties.KeysFromOldest())
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// TestGuide_rules reads the rules of the record from where they are defined: the guide says
// of each what to do.
func TestGuide_rules(t *testing.T) {
	source := readFile(t, root+"/services/registros/internal/registros/observacion.go")
	rules := regexp.MustCompile(`Codigo = "([a-z0-9_]+)"`).FindAllSubmatch(source, -1)
	if len(rules) == 0 {
		t.Fatal("no rules found")
	}
	guide := string(readFile(t, "guia/el_registro.md"))
	for _, rule := range rules {
		if !strings.Contains(guide, "| `"+string(rule[1])+"` | ") {
			t.Errorf("the guide does not explain %s", rule[1])
		}
	}
}

func TestGuide_limits(t *testing.T) {
	guide := string(readFile(t, "guia/el_registro.md"))
	schemas := loadDocument(t, publicPath).Components.Schemas
	for field, property := range schemas["Registro"].Value.Properties {
		if !strings.Contains(guide, "`"+field+"`") {
			t.Errorf("the guide has no %s", field)
		}
		if most := property.Value.MaxLength; most != nil && !strings.Contains(guide, strconv.FormatUint(*most, 10)) {
			t.Errorf("the guide has no limit for %s", field)
		}
	}
	for field, property := range schemas["Direccion"].Value.Properties {
		if most := property.Value.MaxLength; most != nil && !strings.Contains(guide, "`"+field+"` ("+strconv.FormatUint(*most, 10)+")") {
			t.Errorf("the guide has another limit for %s", field)
		}
	}
}

// TestDocuments_clientsCompile holds what generators of clients need: no schema has the name
// that they give to what came back from a call, and what a call takes has a name.
func TestDocuments_clientsCompile(t *testing.T) {
	live := loadDocument(t, livePath)
	for path, item := range live.Paths.Map() {
		for method, operation := range item.Operations() {
			if live.Components.Schemas[operation.OperationID+"Response"] != nil {
				t.Errorf("%s %s: the schema %sResponse is what clients call its answer", method, path, operation.OperationID)
			}
			if operation.RequestBody == nil {
				continue
			}
			schema := operation.RequestBody.Value.Content.Get(mediaJSON).Schema
			if schema.Ref == "" {
				t.Errorf("%s %s: the body has no name", method, path)
			}
			for _, shape := range schema.Value.OneOf {
				if shape.Ref == "" {
					t.Errorf("%s %s: a shape of the body has no name", method, path)
				}
			}
		}
	}
}
