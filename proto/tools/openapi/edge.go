package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/enlace-iis/enlace/proto/errores"
)

// edgeDocument is what the gateway answers itself and no proto says, in OpenAPI's own words: its
// routes, the bodies of errors, headers, parameters and credentials.
//
//go:embed edge.json
var edgeDocument []byte

func readEdge() (*openapi3.T, error) {
	var edge openapi3.T
	err := json.Unmarshal(edgeDocument, &edge)
	if err != nil {
		return nil, fmt.Errorf("read edge.json: %w", err)
	}
	schemas := edge.Components.Schemas
	for _, codigo := range []*openapi3.Schema{
		schemas["Problema"].Value.Properties["codigo"].Value, schemas["ErrorDePlataforma"].Value.Properties["codigo"].Value,
		edge.Components.Parameters["codigo"].Value.Schema.Value,
	} {
		for _, each := range codigos() {
			codigo.Enum = append(codigo.Enum, each)
		}
	}
	return &edge, nil
}

// codigos are in the order of the contract's table.
func codigos() []string {
	var all []string
	for _, motivo := range errores.Motivos() {
		all = append(all, errores.Codigo(motivo))
	}
	return all
}

// addEdge puts edge.json into the document.
func addEdge(from *source) error {
	order, err := parseTree(edgeDocument)
	if err != nil {
		return fmt.Errorf("read edge.json: %w", err)
	}
	from.noteProperties(order.child("components").child("schemas"))
	all, own := from.doc.Components, from.edge.Components
	for name, schema := range own.Schemas {
		all.Schemas[name] = schema
	}
	all.Responses, all.Headers, all.SecuritySchemes = own.Responses, own.Headers, own.SecuritySchemes
	from.doc.Components = all
	for _, path := range order.child("paths").names() {
		err := from.addEdgePath(path)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *source) addEdgePath(path string) error {
	item := s.edge.Paths.Value(path)
	for i, parameter := range item.Get.Parameters {
		name := parameter.Ref[strings.LastIndex(parameter.Ref, "/")+1:]
		item.Get.Parameters[i] = s.edge.Components.Parameters[name]
	}
	for code, response := range item.Get.Responses.Map() {
		if response.Value == nil || !strings.HasSuffix(path, "/health") {
			continue
		}
		status, err := strconv.Atoi(code)
		if err != nil {
			return fmt.Errorf("read edge.json: %w", err)
		}
		err = addAnswerExample(response.Value, strings.TrimSuffix(item.Get.OperationID, "Institucion"), status)
		if err != nil {
			return err
		}
	}
	s.doc.Paths.Set(path, item)
	s.paths = append(s.paths, path)
	return nil
}
