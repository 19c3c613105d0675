package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	// Whose methods the documents are of.
	_ "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	opcionesv1 "github.com/enlace-iis/enlace/proto/gen/enlace/opciones/v1"
	_ "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/proto/opciones"
)

const mediaJSON = "application/json"

// A method is an RPC with what its options say.
type method struct{ opciones.Metodo }

func (m method) name() string { return string(m.Descriptor.Name()) }

func (m method) hasBody() bool { return m.GetCuerpo() != opcionesv1.Cuerpo_CUERPO_UNSPECIFIED }

// isPlatform reports whether the method's errors have the form of the national platform's manual.
func (m method) isPlatform() bool { return m.GetCuerpo() == opcionesv1.Cuerpo_CUERPO_PLATAFORMA }

func (m method) takesKey() bool {
	return slices.Contains(m.Acceso.GetRoles(), opcionesv1.Rol_ROL_INSTITUCION)
}

// hasETag reports whether the method is a list that institutions poll.
func (m method) hasETag() bool { return m.IsList() && m.takesKey() }

func isInstitutionAddress(path string) bool { return strings.HasPrefix(path, "/i/{id_empresa}/") }

// describeOperations adds to each operation what our options of its method say.
func (d *document) describeOperations() error {
	for path, item := range d.Paths.Map() {
		for _, operation := range item.Operations() {
			// The plugin numbers the second and later routes of an RPC.
			m, found := d.methods[strings.TrimRight(operation.OperationID, "0123456789")]
			if !found {
				return fmt.Errorf("%s is of no method; run make generate", path)
			}
			err := d.describe(operation, m, path)
			if err != nil {
				return fmt.Errorf("describe %s: %w", path, err)
			}
		}
	}
	return nil
}

func (d *document) describe(operation *openapi3.Operation, m method, path string) error {
	operation.OperationID = m.name()
	operation.Tags = []string{m.GetEtiqueta()}
	operation.Summary, operation.Description = headline(operation.Summary, operation.Description)
	if isInstitutionAddress(path) {
		operation.OperationID += "Institucion"
		operation.Summary += " (dirección única)"
		operation.Description = strings.TrimSpace(operation.Description + "\n\nEs la misma función que en la raíz, bajo la dirección única y estable de una institución.")
	}
	operation.Security = openapi3.NewSecurityRequirements()
	if m.takesKey() {
		operation.Security.With(openapi3.NewSecurityRequirement().Authenticate("ApiKey"))
	} else if !m.Acceso.GetPublico() {
		operation.Security.With(openapi3.NewSecurityRequirement().Authenticate("Token"))
	}
	for _, parameter := range operation.Parameters {
		example, found := d.parameters[parameter.Value.Name]
		if found {
			parameter.Value.Example = example
		} else if parameter.Value.In != openapi3.ParameterInQuery {
			return fmt.Errorf("parametros.json has no %s", parameter.Value.Name)
		}
	}
	if m.hasETag() {
		operation.Parameters = append(operation.Parameters, &openapi3.ParameterRef{Ref: "#/components/parameters/If-None-Match"})
	}
	return errors.Join(d.describeBody(operation, m), d.describeAnswers(operation, m), d.refuse(operation, m, path))
}

// headline moves all but the first sentence of a summary into the description.
func headline(summary, description string) (first, rest string) {
	first, rest, _ = strings.Cut(summary, ". ")
	return strings.TrimSuffix(first, "."), strings.TrimSpace(rest + "\n\n" + description)
}

func (d *document) describeBody(operation *openapi3.Operation, m method) error {
	if operation.RequestBody == nil {
		return nil
	}
	body := operation.RequestBody.Value
	clear(body.Extensions)
	media := body.Content.Get(mediaJSON)
	d.describeSent(media.Schema, m.GetCuerpo())
	switch m.GetCuerpo() {
	case opcionesv1.Cuerpo_CUERPO_IGNORADO:
		body.Required = false
		body.Description = "Opcional; no se mira."
	case opcionesv1.Cuerpo_CUERPO_LOTE:
		body.Description = "La forma documentada es el objeto con `registros`. También se admiten un arreglo de registros y un registro solo."
		media.Schema = d.threeShapes(m, media.Schema)
		media.Examples = openapi3.Examples{}
		for shape := range d.edge.Components.Examples {
			media.Examples[shape] = &openapi3.ExampleRef{Ref: "#/components/examples/" + shape}
		}
		return nil
	case opcionesv1.Cuerpo_CUERPO_FIRMADO:
		media.Schema = schemaRef("Evento")
	}
	var err error
	media.Examples, err = oneExample("solicitud", "Solicitud", m.name())
	return err
}

// threeShapes is what the routes of records read (contract.md 4.2), the documented one first.
// Each shape is a component, because clients are generated with its name.
func (d *document) threeShapes(m method, envelope *openapi3.SchemaRef) *openapi3.SchemaRef {
	schemas := d.Components.Schemas
	records := schemas[path.Base(envelope.Ref)].Value.Properties["registros"].Value
	records.MinItems, records.MaxItems = 1, new(uint64(m.GetMaximoRegistros()))

	array := *records
	array.Title, array.Description = "Arreglo de registros", "Los registros sin más."
	shapes := openapi3.Schema{
		Description: "Los registros, en una de tres formas.",
		OneOf:       openapi3.SchemaRefs{envelope, schemaRef(m.name() + "Arreglo"), schemaRef("Registro")},
	}
	schemas[m.name()+"Arreglo"], schemas[m.name()+"Cuerpo"] = array.NewRef(), shapes.NewRef()
	return schemaRef(m.name() + "Cuerpo")
}

// describeAnswers makes of the plugin's only right answer those of the method.
func (d *document) describeAnswers(operation *openapi3.Operation, m method) error {
	content := operation.Responses.Status(http.StatusOK).Value.Content
	media := content.Get(mediaJSON)
	operation.Responses = openapi3.NewResponsesWithCapacity(0)
	names := []string{"X-Request-ID"}
	switch {
	case m.IsFile():
		// Its types are those that the field tipo lists.
		names = append(names, "Content-Disposition")
		content = openapi3.Content{}
		for _, tipo := range d.Components.Schemas[m.name()+"Resultado"].Value.Properties["tipo"].Value.Enum {
			content[tipo.(string)] = openapi3.NewMediaType().WithSchema(openapi3.NewStringSchema())
		}
	case m.IsList():
		// To the plugin a stream is an object for each message. The gateway writes one array.
		list := media.Schema.Value
		list.Type, list.Title, list.Properties = &openapi3.Types{openapi3.TypeArray}, "", nil
	}
	if m.hasETag() {
		names = append(names, "ETag")
		operation.Responses.Set("304", &openapi3.ResponseRef{Ref: "#/components/responses/SinCambios"})
	}
	for _, right := range m.Exitos {
		status := strconv.Itoa(int(right.GetHttp()))
		response := openapi3.NewResponse().WithDescription(right.GetCuando()).WithContent(content)
		response.Headers = headers(names...)
		if !m.IsFile() {
			examples, err := oneExample("respuesta", "Respuesta", m.name()+"."+status)
			if err != nil {
				return err
			}
			response.Content = openapi3.Content{mediaJSON: {Schema: media.Schema, Examples: examples}}
		}
		operation.Responses.Set(status, &openapi3.ResponseRef{Value: response})
	}
	return nil
}

// describeSent describes a message that clients send, and those within it: only what the proto
// requires need be there. Only the platform's may have fields that are not known, of which none must
// be lost to a new one (pui.md, decided here), and what nobody looks at.
func (d *document) describeSent(reference *openapi3.SchemaRef, body opcionesv1.Cuerpo) {
	name := path.Base(reference.Ref)
	found := d.Components.Schemas[name]
	if found == nil || d.sent[name] {
		return
	}
	d.sent[name] = true
	if body == opcionesv1.Cuerpo_CUERPO_ESTRICTO || body == opcionesv1.Cuerpo_CUERPO_LOTE {
		found.Value.AdditionalProperties.Has = new(false)
	}
	for field, property := range found.Value.Properties {
		property.Value.Nullable = !slices.Contains(found.Value.Required, field)
		for _, within := range append(property.Value.AllOf, property.Value.Items) {
			if within != nil {
				d.describeSent(within, body)
			}
		}
	}
}

// describeSchemas completes the schemas of messages. Of an answer every field is always present
// (contract.md 2). A nullable field has null in its enum, as OpenAPI 3.0.3 wants it. Numbers all count
// something, so that none is below zero.
func (d *document) describeSchemas() {
	schemas := d.Components.Schemas
	for name, schema := range schemas {
		if !d.sent[name] && d.properties[name] != nil {
			schema.Value.Required = slices.Collect(d.properties[name].KeysFromOldest())
		}
		for _, reference := range schema.Value.Properties {
			property := reference.Value
			if property.Nullable && len(property.Enum) > 0 {
				property.Enum = append(property.Enum, nil)
			}
			if property.Nullable && len(property.AllOf) > 0 {
				// A message says itself that it may be null: a reference cannot say so.
				schemas[path.Base(property.AllOf[0].Ref)].Value.Nullable = true
				property.Nullable = false
			}
			if property.Type.Is(openapi3.TypeInteger) {
				property.Min = new(float64)
			}
		}
	}
}

func readExample(name string) (json.RawMessage, error) {
	text, err := files.ReadFile("ejemplos/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("read example: %w", err)
	}
	return text, nil
}

func oneExample(name, summary, file string) (openapi3.Examples, error) {
	value, err := readExample(file)
	return openapi3.Examples{name: {Value: &openapi3.Example{Summary: summary, Value: value}}}, err
}

func schemaRef(name string) *openapi3.SchemaRef {
	return openapi3.NewSchemaRef("#/components/schemas/"+name, nil)
}

func headers(names ...string) openapi3.Headers {
	made := openapi3.Headers{}
	for _, name := range names {
		made[name] = &openapi3.HeaderRef{Ref: "#/components/headers/" + name}
	}
	return made
}
