package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/pb33f/ordered-map/v2"

	"github.com/enlace-iis/enlace/proto/errores"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

// refusalTexts are the texts of the error responses: of those with the same codigos the first that
// fits is taken. What the manual knows no status for is a 400 on the platform's routes.
type refusalTexts struct {
	Refusals []refusal `json:"refusals"`
	// Failures are what examples say on the institutions' routes, by codigo, besides [generalDetails].
	Failures map[string]failure `json:"failures"`
}

// A refusal is an error response: a component of the documents.
type refusal struct {
	Name string `json:"name"`
	When string `json:"when"`
	// Codigos are of one status.
	Codigos  []string `json:"codigos"`
	Platform bool     `json:"platform"`
	// RPC is the only method that it is for.
	RPC string `json:"rpc"`
	// Instance is the route of the examples, and Examples what they say, by codigo, where that
	// differs from Failures.
	Instance string             `json:"instance"`
	Examples map[string]failure `json:"examples"`
}

// A failure is what an example says.
type failure struct {
	Detail string          `json:"detail"`
	Errors json.RawMessage `json:"errores"`
}

// generalDetails are what programs say themselves, by codigo.
var generalDetails = map[string]string{
	"interno":        errores.DetalleInterno,
	"no_disponible":  errores.DetalleNoDisponible,
	"tiempo_agotado": errores.DetalleTiempoAgotado,
	"cuerpo_lento":   errores.DetalleCuerpoLento,
}

// refuse adds the error responses: one for each status of what the method can be refused for.
func (d *document) refuse(operation *openapi3.Operation, m method, path string) error {
	status := errores.Status
	if m.isPlatform() {
		status = errores.PlatformStatus
	}
	byStatus := map[int][]string{}
	for _, codigo := range m.codigos(path) {
		code := status(motivoOf(codigo))
		byStatus[code] = append(byStatus[code], codigo)
	}
	for code, together := range byStatus {
		found := slices.IndexFunc(d.refusals.Refusals, func(r refusal) bool {
			return r.Platform == m.isPlatform() && (r.RPC == "" || r.RPC == m.name()) && slices.Equal(r.Codigos, together)
		})
		if found < 0 {
			return fmt.Errorf("refusals.json: %s is refused with %v, which no response is for", m.name(), together)
		}
		operation.Responses.Set(strconv.Itoa(code), &openapi3.ResponseRef{Ref: "#/components/responses/" + d.refusals.Refusals[found].Name})
	}
	return nil
}

// codigos are what the method can be refused for: what its proto says, and what follows from
// its body, its credential and its place.
func (m method) codigos(path string) []string {
	var all []string
	add := func(is bool, codigos ...string) {
		if is {
			all = append(all, codigos...)
		}
	}
	for _, motivo := range m.GetMotivos() {
		add(true, strings.ToLower(motivo))
	}
	add(m.isPlatform(), "validacion")
	add(m.GetMaximoRegistros() > 0, "lote_vacio", "lote_excedido")
	add(m.hasBody(), "json_invalido", "cuerpo_demasiado_grande", "tipo_no_admitido")
	add(slices.Contains([]string{"cliente", "institucion", "operador"}, strings.Split(path, "/")[1]), "parametro_no_admitido")
	add(isInstitutionAddress(path), "no_encontrado")
	// What asks nothing of nobody is answered from memory, and has nothing to fail.
	asks := m.isPlatform() || !m.Acceso.GetPublico()
	add(asks, "interno", "credencial_ausente", "credencial_invalida")
	add(m.takesKey(), "credencial_revocada")
	add(asks, "credencial_caducada")
	add(!m.Acceso.GetPublico(), "sin_permiso")
	add(m.GetReciente(), "sesion_antigua")
	add(true, "demasiadas_solicitudes", "no_disponible", "tiempo_agotado")
	add(m.hasBody(), "cuerpo_lento")
	return all
}

func motivoOf(codigo string) errores.Motivo {
	return errores.Motivo(erroresv1.Motivo_value["MOTIVO_"+strings.ToUpper(codigo)])
}

// addRefusals makes the components that operations refer to.
func (d *document) addRefusals() {
	for _, each := range d.refusals.Refusals {
		examples := openapi3.Examples{}
		for _, codigo := range each.Codigos {
			examples[codigo] = &openapi3.ExampleRef{Value: &openapi3.Example{Summary: errores.Titulo(motivoOf(codigo)), Value: d.example(each, codigo)}}
		}
		response := openapi3.NewResponse().WithDescription(fmt.Sprintf("%s `codigo`: `%s`.", each.When, strings.Join(each.Codigos, "`, `")))
		response.Content = openapi3.Content{"application/problem+json": {Schema: schemaRef("Problema"), Examples: examples}}
		if each.Platform {
			response.Content = openapi3.Content{mediaJSON: {Schema: schemaRef("ErrorDePlataforma"), Examples: examples}}
		}
		response.Headers = headers(append(refusalHeaders[errores.Status(motivoOf(each.Codigos[0]))], "X-Request-ID")...)
		d.Components.Responses[each.Name] = &openapi3.ResponseRef{Value: response}
	}
}

var refusalHeaders = map[int][]string{
	http.StatusUnauthorized:       {"WWW-Authenticate"},
	http.StatusTooManyRequests:    {"Retry-After", "RateLimit", "RateLimit-Policy"},
	http.StatusServiceUnavailable: {"Retry-After"},
}

// example is an answer with one of the refusal's codigos: the body of contract.md section 3 or that of
// the platform's manual, with its members in that order.
func (d *document) example(r refusal, codigo string) any {
	said, usual, motivo := r.Examples[codigo], d.refusals.Failures[codigo], motivoOf(codigo)
	detail := cmp.Or(said.Detail, usual.Detail, generalDetails[codigo])
	places := json.RawMessage(cmp.Or(string(said.Errors), string(usual.Errors), "[]"))
	body := orderedmap.New[string, any]()
	if r.Platform {
		body.Set("error", detail)
		body.Set("errores", places)
	} else {
		body.Set("type", d.Servers[0].URL+"/errores/"+codigo)
		body.Set("title", errores.Titulo(motivo))
		body.Set("status", errores.Status(motivo))
		body.Set("detail", detail)
		body.Set("instance", cmp.Or(r.Instance, "/cliente/registros"))
	}
	body.Set("codigo", codigo)
	body.Set("request_id", "019aa1f2-6c1e-7d3a-9f04-2b7c5e8d1a60")
	body.Set("errores", places) // where they are already, on the platform's routes
	return body
}
