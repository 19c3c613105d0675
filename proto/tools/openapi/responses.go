package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// addResponses makes the components that operations refer to.
func addResponses(from *source) error {
	components := from.doc.Components
	components.Headers = headerComponents()
	components.Responses = openapi3.ResponseBodies{"SinCambios": {Value: notModified()}}
	for _, name := range slices.Sorted(maps.Keys(refusals)) {
		response, err := refusals[name].response()
		if err != nil {
			return fmt.Errorf("refusals.go: %s: %w", name, err)
		}
		components.Responses[name] = &openapi3.ResponseRef{Value: response}
	}
	return nil
}

func notModified() *openapi3.Response {
	response := openapi3.NewResponse().WithDescription("La lista no ha cambiado desde el `ETag` enviado; no hay cuerpo.")
	response.Headers = headers("X-Request-ID", "ETag")
	return response
}

func (r refusal) response() (*openapi3.Response, error) {
	mediaType, schema := "application/problem+json", "Problema"
	if r.platform {
		mediaType, schema = "application/json", "ErrorDePlataforma"
	}
	media := openapi3.NewMediaType().WithSchemaRef(ref(schema))
	media.Examples = openapi3.Examples{}
	for _, nombre := range r.codigos {
		found, ok := findCodigo(nombre)
		if !ok {
			return nil, fmt.Errorf("there is no codigo %s", nombre)
		}
		example, err := r.example(found)
		if err != nil {
			return nil, err
		}
		media.Examples[nombre] = &openapi3.ExampleRef{Value: example}
	}
	response := openapi3.NewResponse().WithDescription(r.description())
	response.Content = openapi3.Content{mediaType: media}
	response.Headers = r.headers()
	return response, nil
}

func (r refusal) description() string {
	return fmt.Sprintf("%s `codigo`: `%s`.", r.when, strings.Join(r.codigos, "`, `"))
}

func (r refusal) headers() openapi3.Headers {
	switch r.status {
	case http.StatusUnauthorized:
		return headers("X-Request-ID", "WWW-Authenticate")
	case http.StatusTooManyRequests:
		return headers("X-Request-ID", "Retry-After", "RateLimit", "RateLimit-Policy")
	case http.StatusServiceUnavailable:
		return headers("X-Request-ID", "Retry-After")
	default:
		return headers("X-Request-ID")
	}
}

func headers(names ...string) openapi3.Headers {
	made := openapi3.Headers{}
	for _, name := range names {
		made[name] = &openapi3.HeaderRef{Ref: "#/components/headers/" + name}
	}
	return made
}

func headerComponents() openapi3.Headers {
	texts := map[string]struct{ description, example string }{
		"X-Request-ID":     {"Identificador de la solicitud: el que envió el cliente o uno nuevo. Con él se encuentra en los registros del servicio.", exampleRequestID},
		"ETag":             {"Revisión de la lista, para `If-None-Match`.", exampleETag},
		"WWW-Authenticate": {"La credencial que la ruta pide.", `ApiKey realm="enlace"`},
		"Retry-After":      {"Segundos que hay que esperar antes de repetir la solicitud.", "2"},
		"RateLimit":        {"Lo que queda del límite y los segundos hasta que se renueva.", `"credencial";r=0;t=2`},
		"RateLimit-Policy": {"El límite que se excedió: cuántas solicitudes en cuántos segundos.", `"credencial";q=100;w=10`},
	}
	made := openapi3.Headers{}
	for name, text := range texts {
		value := &openapi3.Header{Parameter: openapi3.Parameter{Description: text.description, Required: true, Example: text.example}}
		value.Schema = openapi3.NewStringSchema().NewRef()
		made[name] = &openapi3.HeaderRef{Value: value}
	}
	return made
}
