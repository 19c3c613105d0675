package main

import (
	"embed"
	"encoding/json"
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"

	opcionesv1 "github.com/enlace-iis/enlace/proto/gen/enlace/opciones/v1"
)

// exampleFiles are bodies as they travel: <RPC>.json what is sent, <RPC>.<status>.json what
// is answered, and three shapes of the body of the routes of records. The end-to-end tests
// send them.
//
//go:embed ejemplos/*.json
var exampleFiles embed.FS

// exampleBase stands for the address of an installation. The gateway puts its own in.
const exampleBase = "https://enlace.example"

// recordShapes are the three bodies that the routes of records read.
var recordShapes = []struct{ file, name, summary string }{
	{"registros", "objeto", "Un objeto con los registros (la forma documentada)"},
	{"arreglo", "arreglo", "Un arreglo de registros"},
	{"registro", "registro", "Un registro solo"},
}

func readExample(file string) (json.RawMessage, error) {
	text, err := exampleFiles.ReadFile("ejemplos/" + file + ".json")
	if err != nil {
		return nil, fmt.Errorf("read example: %w", err)
	}
	return text, nil
}

// addAnswerExample adds the example of an answer, of which there must be one.
func addAnswerExample(response *openapi3.Response, rpc string, status int) error {
	value, err := readExample(fmt.Sprintf("%s.%d", rpc, status))
	response.Content.Get(mediaJSON).Examples = openapi3.Examples{"respuesta": {Value: &openapi3.Example{Summary: "Respuesta", Value: value}}}
	return err
}

// requestExamples are the examples of what a route is sent.
func (m method) requestExamples() (openapi3.Examples, error) {
	if m.GetCuerpo() != opcionesv1.Cuerpo_CUERPO_LOTE {
		value, err := readExample(m.name())
		if err != nil {
			return nil, err
		}
		return openapi3.Examples{"solicitud": {Value: &openapi3.Example{Summary: "Solicitud", Value: value}}}, nil
	}
	shapes := openapi3.Examples{}
	for _, shape := range recordShapes {
		shapes[shape.name] = &openapi3.ExampleRef{Ref: "#/components/examples/" + shape.name}
	}
	return shapes, nil
}

// addExamples makes the components that the routes of records share.
func addExamples(from *source) error {
	components := from.doc.Components
	components.Examples = openapi3.Examples{}
	for _, shape := range recordShapes {
		value, err := readExample(shape.file)
		if err != nil {
			return err
		}
		components.Examples[shape.name] = &openapi3.ExampleRef{Value: &openapi3.Example{Summary: shape.summary, Value: value}}
	}
	return nil
}
