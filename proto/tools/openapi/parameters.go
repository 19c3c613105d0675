package main

import (
	"github.com/getkin/kin-openapi/openapi3"
)

// parameters keeps the path's. The plugin takes every other field of a request for a query
// parameter; there are none.
func (o operation) parameters(generated *openapi3.Operation) openapi3.Parameters {
	var kept openapi3.Parameters
	for _, parameter := range generated.Parameters {
		if parameter.Value.In != openapi3.ParameterInPath {
			continue
		}
		value := openapi3.NewPathParameter(parameter.Value.Name).WithDescription(pathParameters[parameter.Value.Name].description)
		value.Schema = openapi3.NewStringSchema().NewRef()
		value.Example = pathParameters[parameter.Value.Name].example
		kept = append(kept, &openapi3.ParameterRef{Value: value})
	}
	switch {
	case o.body == event:
		kept = append(kept, signatureHeaders()...)
	case o.hasETag():
		kept = append(kept, header("If-None-Match", "El `ETag` de la lista que ya tiene. Si sigue vigente, la respuesta es 304.", exampleETag))
	}
	return kept
}

// hasETag tells the institutions' lists, which they poll.
func (o operation) hasETag() bool {
	return o.list != "" && o.access == apiKey
}

const exampleETag = `W/"1842"`

var pathParameters = map[string]struct{ description, example string }{
	"id_empresa": {"RFC con homoclave de la institución.", "AAA010101AAA"},
	"key_id":     {"Identificador público de la llave.", "EJEMPLOEJEMPLOEJEMPL"},
}

func header(name, description, example string) *openapi3.ParameterRef {
	value := openapi3.NewHeaderParameter(name).WithDescription(description)
	value.Schema = openapi3.NewStringSchema().NewRef()
	value.Example = example
	return &openapi3.ParameterRef{Value: value}
}

func signatureHeaders() openapi3.Parameters {
	headers := openapi3.Parameters{
		header("webhook-id", "Identificador del evento; el mismo que `id` en el cuerpo.", "evt_0001"),
		header("webhook-timestamp", "Instante del envío, en segundos desde 1970.", "1795219200"),
		header("webhook-signature", "Una o más firmas `v1,<base64>`, separadas por espacios.", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
	}
	for _, each := range headers {
		each.Value.Required = true
	}
	return headers
}
