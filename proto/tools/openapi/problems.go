package main

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/enlace-iis/enlace/proto/errores"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

const exampleRequestID = "019aa1f2-6c1e-7d3a-9f04-2b7c5e8d1a60"

// addResponses makes the components that operations refer to.
func addResponses(from *source) error {
	responses := from.doc.Components.Responses
	for _, each := range refusals {
		response, err := each.response()
		if err != nil {
			return fmt.Errorf("refusals.go: %s: %w", each.name, err)
		}
		responses[each.name] = &openapi3.ResponseRef{Value: response}
	}
	return nil
}

func (r refusal) response() (*openapi3.Response, error) {
	mediaType, schema := "application/problem+json", "Problema"
	if r.platform {
		mediaType, schema = mediaJSON, "ErrorDePlataforma"
	}
	media := openapi3.NewMediaType().WithSchemaRef(ref(schema))
	media.Examples = openapi3.Examples{}
	for _, codigo := range r.codigos {
		text, err := marshal(r.body(codigo))
		if err != nil {
			return nil, err
		}
		media.Examples[codigo] = &openapi3.ExampleRef{Value: &openapi3.Example{Summary: errores.Titulo(motivoOf(codigo)), Value: text}}
	}
	response := openapi3.NewResponse().WithDescription(fmt.Sprintf("%s `codigo`: `%s`.", r.when, strings.Join(r.codigos, "`, `")))
	response.Content = openapi3.Content{mediaType: media}
	response.Headers = headers(append([]string{"X-Request-ID"}, refusalHeaders[errores.Status(motivoOf(r.codigos[0]))]...)...)
	return response, nil
}

var refusalHeaders = map[int][]string{
	http.StatusUnauthorized:       {"WWW-Authenticate"},
	http.StatusTooManyRequests:    {"Retry-After", "RateLimit", "RateLimit-Policy"},
	http.StatusServiceUnavailable: {"Retry-After"},
}

func motivoOf(codigo string) errores.Motivo {
	return errores.Motivo(erroresv1.Motivo_value["MOTIVO_"+strings.ToUpper(codigo)])
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
func (r refusal) body(codigo string) any {
	said, own := r.examples[codigo]
	if !own {
		said = failures[codigo]
	}
	detail := cmp.Or(said.detail, failures[codigo].detail)
	if r.platform {
		return errorDePlataforma{Error: detail, Errores: append([]string{}, platformErrors[codigo]...), Codigo: codigo, RequestID: exampleRequestID}
	}
	motivo := motivoOf(codigo)
	return problema{
		Type: exampleBase + "/errores/" + codigo, Title: errores.Titulo(motivo), Status: errores.Status(motivo), Detail: detail,
		Instance: cmp.Or(r.instance, "/cliente/registros"), Codigo: codigo, RequestID: exampleRequestID,
		// [] of none, where JSON would have null.
		Errores: append([]entry{}, said.errors...),
	}
}

// platformErrors word what is wrong as the manual does.
var platformErrors = map[string][]string{
	"validacion":    {"'curp' debe tener 18 caracteres"},
	"json_invalido": {"'curp': Se esperaba un texto entre comillas."},
}

// failures are the examples on the institutions' routes, by codigo.
var failures = map[string]failure{
	"json_invalido":           {detail: "El cuerpo no es JSON o no tiene la forma documentada.", errors: []entry{{Puntero: "/origen", Codigo: "campo_desconocido", Mensaje: "Este campo no existe.", Byte: new(58)}}},
	"parametro_no_admitido":   {detail: "El parámetro «page» no se admite: esta ruta no recibe parámetros en la dirección."},
	"credencial_ausente":      {detail: "Falta la llave de la institución en la cabecera X-API-Key."},
	"credencial_invalida":     {detail: "La llave no es válida."},
	"credencial_revocada":     {detail: "La llave fue revocada."},
	"credencial_caducada":     {detail: "La llave caducó."},
	"sin_permiso":             {detail: "La credencial no tiene el ámbito \"cliente\"."},
	"no_encontrado":           {detail: "La ruta no existe."},
	"metodo_no_permitido":     {detail: "La ruta no admite este método."},
	"conflicto":               {detail: "Ya se recibió otro evento con ese identificador."},
	"cuerpo_demasiado_grande": {detail: "El cuerpo excede el tamaño admitido."},
	"tipo_no_admitido":        {detail: "El Content-Type debe ser application/json."},
	"lote_vacio":              {detail: "El cuerpo no trae registros; envíe al menos uno."},
	"lote_excedido":           {detail: "Esta ruta admite hasta 5000 registros por solicitud; divida el envío."},
	"validacion": {detail: "1 de 2 registros tienen errores; no se guardó ninguno.", errors: []entry{{
		Indice: new(1), Folio: new("A-2"), Puntero: "/registros/1/curp", Codigo: "formato",
		Mensaje: "La CURP debe tener 18 caracteres con la estructura oficial.",
	}}},
	"demasiadas_solicitudes": {detail: "Se excedió el ritmo de solicitudes. Espere antes de repetir."},
	"interno":                {detail: errores.DetalleInterno},
	"no_disponible":          {detail: errores.DetalleNoDisponible},
	"tiempo_agotado":         {detail: errores.DetalleTiempoAgotado},
}
