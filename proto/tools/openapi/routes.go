package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	opcionesv1 "github.com/enlace-iis/enlace/proto/gen/enlace/opciones/v1"
)

const mediaJSON = "application/json"

// describeRoutes replaces what the plugin says of each route by the whole of it.
func describeRoutes(from *source) error {
	generated := from.paths
	from.paths = nil
	for _, each := range from.methods {
		for _, path := range generated {
			err := each.describePath(from, path)
			if err != nil {
				return fmt.Errorf("describe %s: %w", path, err)
			}
		}
	}
	for _, path := range generated {
		if !slices.Contains(from.paths, path) {
			return fmt.Errorf("%s is of no method; run make generate", path)
		}
	}
	return nil
}

// describePath describes the routes of the path that lead to the method.
func (m method) describePath(from *source, path string) error {
	item := from.doc.Paths.Value(path)
	for verb, generated := range item.Operations() {
		// The plugin numbers the second and later routes of an RPC.
		if strings.TrimRight(generated.OperationID, "0123456789") != m.name() {
			continue
		}
		made, err := m.describe(from, path, generated)
		if err != nil {
			return err
		}
		item.SetOperation(verb, made)
		from.paths = append(from.paths, path)
	}
	return nil
}

func (m method) describe(from *source, path string, generated *openapi3.Operation) (*openapi3.Operation, error) {
	parameters, err := m.parameters(from, path, generated)
	if err != nil {
		return nil, err
	}
	made := &openapi3.Operation{
		Tags: []string{m.GetEtiqueta()}, OperationID: m.name(), Security: m.security(), Parameters: parameters,
	}
	made.Summary, made.Description = headline(comment(generated.Summary + "\n\n" + generated.Description))
	if isInstitutionAddress(path) {
		made.OperationID += "Institucion"
		made.Summary += " (dirección única)"
		made.Description = paragraphs(made.Description, "Es la misma función que en la raíz, bajo la dirección única y estable de una institución.")
	}
	made.RequestBody, err = m.requestBody(from, generated)
	if err != nil {
		return nil, err
	}
	made.Responses, err = m.responses(from, generated)
	if err != nil {
		return nil, err
	}
	return made, m.addRefusals(from, path, made.Responses)
}

// isOperators tells the routes of contract.md section 9.
func isOperators(path string) bool { return strings.HasPrefix(path, "/operador/") }

// isInstitutions tells the routes that institutions call with their key: the given ones and what
// they do besides.
func isInstitutions(path string) bool {
	return isPublic(path) || strings.HasPrefix(path, "/institucion/")
}

func isInstitutionAddress(path string) bool { return strings.HasPrefix(path, "/i/{id_empresa}/") }

// parameters keeps the path's, and adds headers. The plugin takes every other field of a request
// for a query parameter; such are the filters of operators alone.
func (m method) parameters(from *source, path string, generated *openapi3.Operation) (openapi3.Parameters, error) {
	var names []string
	var kept openapi3.Parameters
	for _, parameter := range generated.Parameters {
		switch {
		case parameter.Value.In == openapi3.ParameterInPath:
			names = append(names, parameter.Value.Name)
		case isOperators(path):
			parameter.Value.Description = comment(parameter.Value.Description)
			kept = append(kept, parameter)
		}
	}
	if m.GetCuerpo() == opcionesv1.Cuerpo_CUERPO_FIRMADO {
		names = append(names, "webhook-id", "webhook-timestamp", "webhook-signature")
	}
	if m.hasETag() {
		names = append(names, "If-None-Match")
	}
	for _, name := range names {
		known := from.edge.Components.Parameters[name]
		if known == nil {
			return nil, fmt.Errorf("%s: edge.json has no parameter %s", path, name)
		}
		kept = append(kept, known)
	}
	return kept, nil
}

func (m method) requestBody(from *source, generated *openapi3.Operation) (*openapi3.RequestBodyRef, error) {
	if !m.hasBody() {
		return nil, nil
	}
	made := openapi3.NewRequestBody().WithRequired(true)
	schema := generated.RequestBody.Value.Content.Get(mediaJSON).Schema
	switch m.GetCuerpo() {
	case opcionesv1.Cuerpo_CUERPO_IGNORADO:
		made.Required = false
		made.Description = "Opcional; no se mira."
	case opcionesv1.Cuerpo_CUERPO_LOTE:
		made.Description = "La forma documentada es el objeto con `registros`. También se admiten un arreglo de registros y un registro solo."
		schema = m.threeShapes(from, schema)
	case opcionesv1.Cuerpo_CUERPO_FIRMADO:
		schema = ref("Evento")
	}
	made.Content = openapi3.NewContentWithJSONSchemaRef(schema)
	var err error
	made.Content.Get(mediaJSON).Examples, err = m.requestExamples()
	return &openapi3.RequestBodyRef{Value: made}, err
}

// threeShapes is what the routes of records read (contract.md 4.2), the documented one first.
// Each shape is a component, because clients are generated with its name.
func (m method) threeShapes(from *source, envelope *openapi3.SchemaRef) *openapi3.SchemaRef {
	schemas := from.doc.Components.Schemas
	records := schemas[string(m.Descriptor.Input().Name())].Value.Properties["registros"].Value
	records.MinItems, records.MaxItems = 1, new(uint64(m.GetMaximoRegistros()))

	array := *records
	array.Title = "Arreglo de registros"
	array.Description = "Los registros sin más."
	schemas[m.name()+"Arreglo"] = array.NewRef()

	shapes := openapi3.NewSchema()
	shapes.Description = "Los registros, en una de tres formas."
	shapes.OneOf = openapi3.SchemaRefs{envelope, ref(m.name() + "Arreglo"), ref("Registro")}
	schemas[m.name()+"Cuerpo"] = shapes.NewRef()
	return ref(m.name() + "Cuerpo")
}

// responses are the right answers.
func (m method) responses(from *source, generated *openapi3.Operation) (*openapi3.Responses, error) {
	made := openapi3.NewResponsesWithCapacity(8)
	schema := generated.Responses.Status(200).Value.Content.Get(mediaJSON).Schema
	if m.IsList() && !m.IsFile() {
		list := *from.doc.Components.Schemas[m.name()+"Resultado"].Value.Properties[m.Rule().GetResponseBody()].Value
		list.Description = ""
		schema = list.NewRef()
	}
	for _, right := range m.Exitos {
		content := openapi3.NewContentWithJSONSchemaRef(schema)
		if m.IsFile() {
			content = m.file(from)
		}
		response := openapi3.NewResponse().WithDescription(right.GetCuando()).WithContent(content)
		response.Headers = headers("X-Request-ID")
		if m.hasETag() {
			response.Headers = headers("X-Request-ID", "ETag")
		}
		if m.IsFile() {
			response.Headers["Content-Disposition"] = fileHeader()
		} else {
			err := addAnswerExample(response, m.name(), int(right.GetHttp()))
			if err != nil {
				return nil, err
			}
		}
		setResponse(made, int(right.GetHttp()), &openapi3.ResponseRef{Value: response})
	}
	if m.hasETag() {
		made.Set("304", responseRef("SinCambios"))
	}
	return made, nil
}

// fileHeader says how a file is called.
func fileHeader() *openapi3.HeaderRef {
	said := &openapi3.Header{}
	said.Description, said.Required, said.Schema = "Cómo se llama el archivo.", true, openapi3.NewStringSchema().NewRef()
	said.Example = "attachment; filename=evidencia-AAA010101AAA.jsonl"
	return &openapi3.HeaderRef{Value: said}
}

// file is the answer of a method that sends one, in the types that its field tipo lists.
func (m method) file(from *source) openapi3.Content {
	fields := from.doc.Components.Schemas[m.name()+"Resultado"].Value.Properties
	content := openapi3.Content{}
	for _, tipo := range fields["tipo"].Value.Enum {
		content[tipo.(string)] = openapi3.NewMediaType().WithSchema(openapi3.NewStringSchema())
	}
	return content
}
