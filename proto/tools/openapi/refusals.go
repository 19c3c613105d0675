package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/enlace-iis/enlace/proto/errores"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

// addRefusals adds the error responses: one for each status of what the method can be refused for.
func (m method) addRefusals(from *source, path string, responses *openapi3.Responses) error {
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
		found := slices.IndexFunc(from.texts.Refusals, func(r refusal) bool {
			return r.Platform == m.isPlatform() && (r.RPC == "" || r.RPC == m.name()) && slices.Equal(r.Codigos, together)
		})
		if found < 0 {
			return fmt.Errorf("refusals.json: %s is refused with %v, which no response is for", m.name(), together)
		}
		setResponse(responses, code, responseRef(from.texts.Refusals[found].Name))
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
	add(isInstitutions(path) || isOperators(path), "parametro_no_admitido")
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

// refusalsFile has the texts of the error responses: of those with the same codigos the first that
// fits is taken. What the manual knows no status for is a 400 on the platform's routes.
//
//go:embed refusals.json
var refusalsFile []byte

type refusalTexts struct {
	Refusals []refusal `json:"refusals"`
	// Failures are what examples say on the institutions' routes, by codigo.
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
	Detail string  `json:"detail"`
	Errors []entry `json:"errores"`
}

// An entry is one of the example's `errores`.
type entry struct {
	Indice  *int    `json:"indice"`
	Folio   *string `json:"folio"`
	Puntero string  `json:"puntero"`
	Codigo  string  `json:"codigo"`
	Mensaje string  `json:"mensaje"`
	Byte    *int    `json:"byte,omitempty"`
}

func readRefusals() (refusalTexts, error) {
	var texts refusalTexts
	err := json.Unmarshal(refusalsFile, &texts)
	if err != nil {
		return texts, fmt.Errorf("read refusals.json: %w", err)
	}
	for motivo, detail := range map[errores.Motivo]string{
		erroresv1.Motivo_MOTIVO_INTERNO:        errores.DetalleInterno,
		erroresv1.Motivo_MOTIVO_NO_DISPONIBLE:  errores.DetalleNoDisponible,
		erroresv1.Motivo_MOTIVO_TIEMPO_AGOTADO: errores.DetalleTiempoAgotado,
		erroresv1.Motivo_MOTIVO_CUERPO_LENTO:   errores.DetalleCuerpoLento,
	} {
		texts.Failures[errores.Codigo(motivo)] = failure{Detail: detail}
	}
	return texts, nil
}
