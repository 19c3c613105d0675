package main

import (
	"fmt"
	"path"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"google.golang.org/protobuf/reflect/protoreflect"

	opcionesv1 "github.com/enlace-iis/enlace/proto/gen/enlace/opciones/v1"
)

// describeMessages completes the schemas that came from the protos. Of an answer every field is
// always present (contract.md 2); of what is sent only what the proto requires need be.
func describeMessages(from *source) error {
	for _, each := range from.methods {
		if body := each.body(); body != nil {
			err := from.describeSent(body, each.GetCuerpo())
			if err != nil {
				return err
			}
		}
	}
	for name, schema := range from.doc.Components.Schemas {
		if !from.sent[name] {
			schema.Value.Required = from.properties[name]
			from.tellAbsent(schema.Value)
		}
		tidy(schema.Value)
	}
	return nil
}

// tellAbsent tells of the messages that an answer may lack: a reference cannot say so.
func (s *source) tellAbsent(answer *openapi3.Schema) {
	for _, property := range answer.Properties {
		if property.Value.Nullable && len(property.Value.AllOf) > 0 {
			s.doc.Components.Schemas[path.Base(property.Value.AllOf[0].Ref)].Value.Nullable = true
		}
	}
}

// describeSent describes a message that clients send, and those within it. Only the platform's
// may have fields that are not known, of which none must be lost to a new one (pui.md, decided
// here), and what nobody looks at.
func (s *source) describeSent(message protoreflect.MessageDescriptor, body opcionesv1.Cuerpo) error {
	name := string(message.Name())
	found := s.doc.Components.Schemas[name]
	if found == nil {
		return fmt.Errorf("the protos have no message %s", name)
	}
	schema := found.Value
	s.sent[name] = true
	if body == opcionesv1.Cuerpo_CUERPO_ESTRICTO || body == opcionesv1.Cuerpo_CUERPO_LOTE {
		schema.AdditionalProperties.Has = new(false)
	}
	for field, property := range schema.Properties {
		property.Value.Nullable = !slices.Contains(schema.Required, field)
		within := message.Fields().ByName(protoreflect.Name(field))
		if within == nil || within.Message() == nil {
			continue
		}
		err := s.describeSent(within.Message(), body)
		if err != nil {
			return err
		}
		if !within.IsList() {
			// A reference cannot say so.
			s.doc.Components.Schemas[string(within.Message().Name())].Value.Nullable = property.Value.Nullable
		}
	}
	return nil
}

// tidy rejoins the lines of comments, lets null into the enum of a nullable field, as OpenAPI
// 3.0.3 wants it, and says of numbers, which all count something, that none is below zero.
func tidy(schema *openapi3.Schema) {
	schema.Description = comment(schema.Description)
	for _, ref := range schema.Properties {
		property := ref.Value
		property.Description = comment(property.Description)
		if property.Nullable && len(property.Enum) > 0 {
			property.Enum = append(property.Enum, nil)
		}
		if len(property.AllOf) > 0 {
			// The message itself says whether it may be null.
			property.Nullable = false
		}
		if property.Type.Is(openapi3.TypeInteger) {
			property.Min = new(float64)
		}
	}
}
