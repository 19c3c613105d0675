package main

import (
	"github.com/getkin/kin-openapi/openapi3"
)

func (o operation) requestBody(from *source, generated *openapi3.Operation) (*openapi3.RequestBodyRef, error) {
	made := openapi3.NewRequestBody().WithRequired(true)
	switch o.body {
	case none:
		return nil, nil
	case ignored:
		made.Required = false
		made.Description = "Opcional; no se mira."
		made.Content = content(bodyOf(generated))
	case batch:
		made.Description = "La forma documentada es el objeto con `registros`. También se admiten un arreglo de registros y un registro solo."
		made.Content = content(o.threeShapes(from, bodyOf(generated)))
	case event:
		made.Content = content(ref("Evento"))
	case object:
		made.Content = content(bodyOf(generated))
	}
	examples, err := o.requestExamples()
	made.Content.Get(mediaJSON).Examples = examples
	return &openapi3.RequestBodyRef{Value: made}, err
}

const mediaJSON = "application/json"

func bodyOf(generated *openapi3.Operation) *openapi3.SchemaRef {
	return generated.RequestBody.Value.Content.Get(mediaJSON).Schema
}

// threeShapes is what the routes of records read (contract.md 4.2), the documented one first.
// Each shape is a component, because clients are generated with its name.
func (o operation) threeShapes(from *source, envelope *openapi3.SchemaRef) *openapi3.SchemaRef {
	array := *envelope.Value.Properties["registros"].Value
	array.Title = "Arreglo de registros"
	array.Description = "Los registros sin más."
	from.doc.Components.Schemas[o.rpc+"Arreglo"] = array.NewRef()

	shapes := openapi3.NewSchema()
	shapes.Description = "Los registros, en una de tres formas."
	shapes.OneOf = openapi3.SchemaRefs{envelope, ref(o.rpc + "Arreglo"), ref("Registro")}
	from.doc.Components.Schemas[o.rpc+"Cuerpo"] = shapes.NewRef()
	return ref(o.rpc + "Cuerpo")
}

func content(schema *openapi3.SchemaRef) openapi3.Content {
	return openapi3.NewContentWithJSONSchemaRef(schema)
}

func ref(schema string) *openapi3.SchemaRef {
	return openapi3.NewSchemaRef(schemaReference+schema, nil)
}
