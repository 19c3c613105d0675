package main

import (
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
)

// addLocalRoutes adds the routes that the gateway answers itself and no proto has.
func addLocalRoutes(from *source) error {
	health, err := healthOperation("GetHealth", "El estado de la aplicación")
	if err != nil {
		return err
	}
	from.addGet("/health", health)
	own, err := healthOperation("GetHealthInstitucion", "El estado de la aplicación (dirección única)")
	if err != nil {
		return err
	}
	empresa := openapi3.NewPathParameter("id_empresa").WithDescription(pathParameters["id_empresa"].description)
	empresa.Schema = openapi3.NewStringSchema().NewRef()
	empresa.Example = pathParameters["id_empresa"].example
	own.Parameters = openapi3.Parameters{{Value: empresa}}
	own.Responses.Set("404", responseRef("NoEncontrado"))
	from.addGet("/i/{id_empresa}/health", own)
	from.addGet("/docs", pageOperation("GetDocs", "Documentación para probar (Swagger UI)",
		"La página permite enviar solicitudes reales con una llave.", "text/html"))
	from.addGet("/redoc", pageOperation("GetRedoc", "Documentación para leer (ReDoc)",
		"La guía para instituciones y la referencia de las rutas.", "text/html"))
	from.addGet("/openapi.json", pageOperation("GetOpenapi", "Este documento", "OpenAPI 3 de todas las rutas HTTP.", "application/json"))
	from.addGet("/errores/{codigo}", errorPageOperation())
	return nil
}

func (s *source) addGet(path string, operation *openapi3.Operation) {
	s.doc.Paths.Set(path, &openapi3.PathItem{Get: operation})
	s.paths = append(s.paths, path)
}

func systemOperation(id, summary, description string) *openapi3.Operation {
	return &openapi3.Operation{
		Tags: []string{tagSistema}, OperationID: id, Summary: summary, Description: description,
		Security:  open.requirement(),
		Responses: openapi3.NewResponsesWithCapacity(3),
	}
}

func healthOperation(id, summary string) (*openapi3.Operation, error) {
	made := systemOperation(id, summary,
		"Una parte está `ok` si atiende y llega a su base de datos. Con alguna caída, la respuesta es 503.")
	for code, when := range map[int]string{200: "Todas las partes atienden.", 503: "Alguna parte no atiende o no llega a su base de datos."} {
		examples, err := answerExamples("GetHealth", code)
		if err != nil {
			return nil, err
		}
		response := openapi3.NewResponse().WithDescription(when).WithContent(content(ref("Salud")))
		response.Content.Get("application/json").Examples = examples
		response.Headers = headers("X-Request-ID")
		made.Responses.Set(strconv.Itoa(code), &openapi3.ResponseRef{Value: response})
	}
	made.Responses.Set("429", responseRef("DemasiadasSolicitudes"))
	return made, nil
}

func pageOperation(id, summary, description, mediaType string) *openapi3.Operation {
	made := systemOperation(id, summary, description)
	schema := openapi3.NewStringSchema()
	if mediaType == "application/json" {
		schema = openapi3.NewObjectSchema()
	}
	response := openapi3.NewResponse().WithDescription("Correcto.").
		WithContent(openapi3.NewContentWithSchema(schema, []string{mediaType}))
	response.Headers = headers("X-Request-ID")
	made.Responses.Set("200", &openapi3.ResponseRef{Value: response})
	made.Responses.Set("429", responseRef("DemasiadasSolicitudes"))
	return made
}

func errorPageOperation() *openapi3.Operation {
	made := pageOperation("GetError", "La explicación de un error",
		"Es la dirección que los errores llevan en `type`: qué significa el error y qué hacer.", "text/html")
	codigo := openapi3.NewPathParameter("codigo").WithDescription("El `codigo` del error.")
	codigo.Schema = codigoSchema().NewRef()
	codigo.Example = "validacion"
	made.Parameters = openapi3.Parameters{{Value: codigo}}
	made.Responses.Set("404", responseRef("RutaDesconocida"))
	return made
}
