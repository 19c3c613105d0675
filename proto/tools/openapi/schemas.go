package main

import (
	"github.com/getkin/kin-openapi/openapi3"
)

// A field of a schema that no proto message stands for.
type field struct {
	name        string
	schema      *openapi3.Schema
	description string
	optional    bool
}

// addSchemas adds the bodies that are written by hand: errors, the health answer, an event.
func addSchemas(from *source) error {
	from.addSchema("Problema", "Un error (RFC 9457).", []field{
		{name: "type", schema: openapi3.NewStringSchema(), description: "Dirección de la explicación de este `codigo`."},
		{name: "title", schema: openapi3.NewStringSchema(), description: "Qué pasó, igual para todos los errores con este `codigo`."},
		{name: "status", schema: openapi3.NewIntegerSchema(), description: "El status HTTP de la respuesta."},
		{name: "detail", schema: openapi3.NewStringSchema(), description: "Qué pasó en esta solicitud."},
		{name: "instance", schema: openapi3.NewStringSchema(), description: "La ruta solicitada."},
		{name: "codigo", schema: codigoSchema(), description: "El error, para que lo lea un programa; estable."},
		{name: "request_id", schema: openapi3.NewStringSchema(), description: "Identificador de la solicitud."},
		{name: "errores", schema: listOf("ErrorDeCampo"), description: "Los lugares que fallaron; vacío si el error no tiene lugar."},
	})
	from.addSchema("ErrorDeCampo", "Un error en un lugar preciso de lo enviado.", []field{
		{name: "indice", schema: nullable(openapi3.NewInt32Schema().WithMin(0)), description: "Posición del registro en lo enviado, desde 0; nula si el error no es de un registro."},
		{name: "folio", schema: nullable(openapi3.NewStringSchema()), description: "Folio del registro, si se pudo leer."},
		{name: "puntero", schema: openapi3.NewStringSchema().WithFormat("json-pointer"), description: "JSON Pointer del lugar, relativo a la forma documentada del cuerpo."},
		{name: "codigo", schema: openapi3.NewStringSchema(), description: "Regla que se rompió; estable."},
		{name: "mensaje", schema: openapi3.NewStringSchema(), description: "Cómo corregirlo."},
		{name: "byte", schema: openapi3.NewInt64Schema().WithMin(0), description: "Posición en bytes dentro del cuerpo; solo cuando el JSON no se pudo leer.", optional: true},
	})
	from.addSchema("ErrorDePlataforma", "Un error en las rutas que llama la plataforma nacional.", []field{
		{name: "error", schema: openapi3.NewStringSchema(), description: "Qué pasó."},
		{name: "errores", schema: openapi3.NewArraySchema().WithItems(openapi3.NewStringSchema()), description: "Cada dato inválido, en las palabras del manual."},
		{name: "codigo", schema: codigoSchema(), description: "El error, para que lo lea un programa; estable."},
		{name: "request_id", schema: openapi3.NewStringSchema(), description: "Identificador de la solicitud."},
	})
	from.addSchema("Salud", "El estado de la aplicación.", []field{
		{name: "estado", schema: enumOf("ok", "degradado"), description: "`ok` solo si todas las partes lo están."},
		{name: "componentes", schema: &openapi3.Schema{AllOf: openapi3.SchemaRefs{ref("Componentes")}}, description: "El estado de cada parte."},
	})
	from.addSchema("Componentes", "El estado de cada parte: `ok` si atiende y llega a su base de datos.", []field{
		{name: "registros", schema: enumOf("ok", "caido"), description: "Registros, casos y coincidencias."},
		{name: "integracion", schema: enumOf("ok", "caido"), description: "El trato con la plataforma nacional."},
	})
	from.addSchema("Evento", "Un hecho en el sistema de la institución.", []field{
		{name: "id", schema: openapi3.NewStringSchema().WithMinLength(1).WithMaxLength(100), description: "Identificador del evento, único en la institución."},
		{name: "tipo", schema: enumOf("registro.creado", "registro.actualizado"), description: "Qué ocurrió."},
		{name: "fecha", schema: openapi3.NewDateTimeSchema(), description: "Instante en que ocurrió."},
		{name: "datos", schema: &openapi3.Schema{AllOf: openapi3.SchemaRefs{ref("Registro")}}, description: "El registro completo, con las reglas de siempre."},
	})
	from.doc.Components.Schemas["Evento"].Value.AdditionalProperties.Has = new(false)
	return nil
}

func (s *source) addSchema(name, description string, fields []field) {
	schema := openapi3.NewObjectSchema()
	schema.Description = description
	for _, each := range fields {
		each.schema.Description = each.description
		schema.Properties[each.name] = each.schema.NewRef()
		s.properties[name] = append(s.properties[name], each.name)
		if !each.optional {
			schema.Required = append(schema.Required, each.name)
		}
	}
	s.doc.Components.Schemas[name] = schema.NewRef()
}

func codigoSchema() *openapi3.Schema {
	names := make([]string, len(codigos()))
	for i, each := range codigos() {
		names[i] = each.nombre
	}
	return enumOf(names...)
}

func enumOf(values ...string) *openapi3.Schema {
	schema := openapi3.NewStringSchema()
	oneOf(values...)(schema)
	return schema
}

func listOf(message string) *openapi3.Schema {
	schema := openapi3.NewArraySchema()
	schema.Items = ref(message)
	return schema
}

func nullable(schema *openapi3.Schema) *openapi3.Schema {
	schema.Nullable = true
	return schema
}
