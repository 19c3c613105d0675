package main

import (
	"fmt"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// A request is what a message that clients send asks of them.
type request struct {
	required []string
	// open requests pass over fields that they do not know: the platform's, of which none
	// must be lost to a new field (pui.md, decided here). Elsewhere they are refused.
	open bool
	// nullable: the message as a whole is optional where it occurs.
	nullable bool
}

// requests are the messages that clients send. All others are answers, of which every
// field is always present (contract.md 2).
var requests = map[string]request{
	"Registro":                 {required: []string{"folio", "curp", "tipo_evento", "fecha_evento"}},
	"Direccion":                {nullable: true},
	"ValidateRegistrosRequest": {required: []string{"registros"}},
	"SaveRegistrosRequest":     {required: []string{"registros"}},
	"SaveLoteRequest":          {required: []string{"registros"}},
	"Credenciales":             {required: []string{"usuario", "clave"}, open: true},
	"Activacion":               {required: []string{"id", "curp"}, open: true},
	"Desactivacion":            {required: []string{"id"}, open: true},
	"IssueApiKeyRequest":       {required: []string{"id_empresa", "nombre", "ambitos"}},
}

// describeMessages completes the schemas that came from the protos.
func describeMessages(from *source) error {
	schemas := from.doc.Components.Schemas
	for name, sent := range requests {
		if schemas[name] == nil {
			return fmt.Errorf("messages.go: the protos have no message %s", name)
		}
		schema := schemas[name].Value
		schema.Required = sent.required
		schema.Nullable = sent.nullable
		if !sent.open {
			schema.AdditionalProperties.Has = new(false)
		}
		for field, property := range schema.Properties {
			if property.Ref == "" {
				property.Value.Nullable = !slices.Contains(sent.required, field)
			}
		}
	}
	for name, schema := range schemas {
		if _, sent := requests[name]; !sent {
			schema.Value.Required = from.properties[name]
		}
	}
	err := applyFieldRules(schemas)
	if err != nil {
		return err
	}
	for _, schema := range schemas {
		tidy(schema.Value)
	}
	return nil
}

// tidy rejoins the lines of comments, and lets null into the enum of a nullable field, as
// OpenAPI 3.0.3 wants it.
func tidy(schema *openapi3.Schema) {
	schema.Description = comment(schema.Description)
	for _, ref := range schema.Properties {
		if ref.Ref != "" {
			continue
		}
		property := ref.Value
		property.Description = comment(property.Description)
		if property.Nullable && len(property.Enum) > 0 {
			property.Enum = append(property.Enum, nil)
		}
		if len(property.AllOf) > 0 {
			// The message itself says whether it may be null.
			property.Nullable = false
		}
	}
}
