package main

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/enlace-iis/enlace/proto/errores"
)

const exampleRequestID = "019aa1f2-6c1e-7d3a-9f04-2b7c5e8d1a60"

// addResponses makes the components that operations refer to.
func addResponses(from *source) error {
	responses := from.doc.Components.Responses
	for _, each := range from.texts.Refusals {
		response, err := each.response(from.texts.Failures)
		if err != nil {
			return err
		}
		responses[each.Name] = &openapi3.ResponseRef{Value: response}
	}
	return nil
}

func (r refusal) response(failures map[string]failure) (*openapi3.Response, error) {
	mediaType, schema := "application/problem+json", "Problema"
	if r.Platform {
		mediaType, schema = mediaJSON, "ErrorDePlataforma"
	}
	media := openapi3.NewMediaType().WithSchemaRef(ref(schema))
	media.Examples = openapi3.Examples{}
	for _, codigo := range r.Codigos {
		text, err := marshal(r.body(codigo, failures[codigo]))
		if err != nil {
			return nil, err
		}
		media.Examples[codigo] = &openapi3.ExampleRef{Value: &openapi3.Example{Summary: errores.Titulo(motivoOf(codigo)), Value: text}}
	}
	response := openapi3.NewResponse().WithDescription(fmt.Sprintf("%s `codigo`: `%s`.", r.When, strings.Join(r.Codigos, "`, `")))
	response.Content = openapi3.Content{mediaType: media}
	response.Headers = headers(append([]string{"X-Request-ID"}, refusalHeaders[errores.Status(motivoOf(r.Codigos[0]))]...)...)
	return response, nil
}

var refusalHeaders = map[int][]string{
	http.StatusUnauthorized:       {"WWW-Authenticate"},
	http.StatusTooManyRequests:    {"Retry-After", "RateLimit", "RateLimit-Policy"},
	http.StatusServiceUnavailable: {"Retry-After"},
}

// problema is the error body of contract.md section 3, in its order.
type problema struct {
	Type      string  `json:"type"`
	Title     string  `json:"title"`
	Status    int     `json:"status"`
	Detail    string  `json:"detail"`
	Instance  string  `json:"instance"`
	Codigo    string  `json:"codigo"`
	RequestID string  `json:"request_id"`
	Errores   []entry `json:"errores"`
}

// errorDePlataforma is the error body of the routes that the platform calls, in its order.
type errorDePlataforma struct {
	Error     string   `json:"error"`
	Errores   []string `json:"errores"`
	Codigo    string   `json:"codigo"`
	RequestID string   `json:"request_id"`
}

// body is an answer with one of the refusal's codigos.
func (r refusal) body(codigo string, usual failure) any {
	said, own := r.Examples[codigo]
	if !own {
		said = usual
	}
	detail := cmp.Or(said.Detail, usual.Detail)
	if r.Platform {
		return errorDePlataforma{Error: detail, Errores: append([]string{}, platformErrors[codigo]...), Codigo: codigo, RequestID: exampleRequestID}
	}
	motivo := motivoOf(codigo)
	return problema{
		Type: exampleBase + "/errores/" + codigo, Title: errores.Titulo(motivo), Status: errores.Status(motivo), Detail: detail,
		Instance: cmp.Or(r.Instance, "/cliente/registros"), Codigo: codigo, RequestID: exampleRequestID,
		// [] of none, where JSON would have null.
		Errores: append([]entry{}, said.Errors...),
	}
}

// platformErrors word what is wrong as the manual does.
var platformErrors = map[string][]string{
	"validacion":    {"'curp' debe tener 18 caracteres"},
	"json_invalido": {"'curp': Se esperaba un texto entre comillas."},
}
