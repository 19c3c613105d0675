package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// responses are the right answers.
func (o operation) responses(generated *openapi3.Operation) (*openapi3.Responses, error) {
	made := openapi3.NewResponsesWithCapacity(8)
	schema := generated.Responses.Status(200).Value.Content.Get(mediaJSON).Schema
	if o.list != "" {
		schema = arrayOf(o.list)
	}
	for _, right := range []status{o.success, o.alternative} {
		if right.code == 0 {
			continue
		}
		examples, err := answerExamples(o.rpc, right.code)
		if err != nil {
			return nil, err
		}
		response := openapi3.NewResponse().WithDescription(right.when).WithContent(content(schema))
		response.Content.Get(mediaJSON).Examples = examples
		response.Headers = headers("X-Request-ID")
		if o.hasETag() {
			response.Headers = headers("X-Request-ID", "ETag")
		}
		made.Set(strconv.Itoa(right.code), &openapi3.ResponseRef{Value: response})
	}
	if o.hasETag() {
		made.Set("304", responseRef("SinCambios"))
	}
	return made, nil
}

func (o operation) addRefusals(path string, responses *openapi3.Responses) error {
	for _, name := range o.refusalNames(path) {
		refused, ok := refusals[name]
		if !ok {
			return fmt.Errorf("refusals.go: there is no refusal %s", name)
		}
		responses.Set(strconv.Itoa(refused.status), responseRef(name))
	}
	return nil
}

func arrayOf(message string) *openapi3.SchemaRef {
	array := openapi3.NewArraySchema()
	array.Items = ref(message)
	if message == "Aviso" {
		items(0, 50)(array)
	}
	return array.NewRef()
}

func responseRef(name string) *openapi3.ResponseRef {
	return &openapi3.ResponseRef{Ref: "#/components/responses/" + name}
}

// refusalNames are the error responses of a route: what follows from its credential, its
// body and its place, and what its row adds.
func (o operation) refusalNames(path string) []string {
	if o.platform {
		return o.platformRefusalNames(path)
	}
	names := []string{"DemasiadasSolicitudes", "NoDisponible", "TiempoAgotado"}
	if !o.constant {
		names = append(names, "Interno")
	}
	isCliente := strings.HasPrefix(path, "/cliente/")
	switch {
	case isCliente && o.body != none:
		names = append(names, "CuerpoOParametroInvalido")
	case isCliente:
		names = append(names, "ParametroNoAdmitido")
	case o.body != none:
		names = append(names, "CuerpoInvalido")
	}
	switch o.access {
	case apiKey:
		names = append(names, "LlaveRechazada", "SinPermiso")
	case token:
		names = append(names, "TokenRechazado", "SinPermiso")
	}
	if o.body != none {
		names = append(names, "CuerpoDemasiadoGrande", "TipoNoAdmitido")
	}
	return append(names, o.refusals...)
}

func (o operation) platformRefusalNames(path string) []string {
	names := []string{
		"PlataformaSolicitudInvalida", "PlataformaNoAutenticado", "PlataformaCuerpoDemasiadoGrande", "PlataformaDemasiadasSolicitudes",
		"PlataformaInterno", "PlataformaNoDisponible", "PlataformaTiempoAgotado",
	}
	if o.access == token {
		names = append(names, "PlataformaSinPermiso")
	}
	if isInstitutionAddress(path) {
		names = append(names, "PlataformaNoEncontrado")
	}
	return names
}
