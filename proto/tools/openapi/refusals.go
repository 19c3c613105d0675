package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/enlace-iis/enlace/proto/errores"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
	opcionesv1 "github.com/enlace-iis/enlace/proto/gen/enlace/opciones/v1"
)

// addRefusals adds the error responses: one for each status of what the method can be refused for.
func (m method) addRefusals(path string, responses *openapi3.Responses) error {
	status := errores.Status
	if m.isPlatform() {
		status = errores.PlatformStatus
	}
	codigos := map[int][]string{}
	for _, motivo := range m.motivos(path) {
		codigos[status(motivo)] = append(codigos[status(motivo)], errores.Codigo(motivo))
	}
	for code, together := range codigos {
		found := slices.IndexFunc(refusals, func(r refusal) bool {
			return r.platform == m.isPlatform() && (r.rpc == "" || r.rpc == m.name()) && slices.Equal(r.codigos, together)
		})
		if found < 0 {
			return fmt.Errorf("refusals.go: %s is refused with %v, which no response is for", m.name(), together)
		}
		setResponse(responses, code, responseRef(refusals[found].name))
	}
	return nil
}

// motivos are what the method can be refused for: what its proto says, and what follows from
// its body, its credential and its place.
func (m method) motivos(path string) []erroresv1.Motivo {
	var all []erroresv1.Motivo
	for _, name := range m.GetMotivos() {
		all = append(all, erroresv1.Motivo(erroresv1.Motivo_value["MOTIVO_"+name]))
	}
	all = append(all, bodyMotivos[m.GetCuerpo()]...)
	if strings.HasPrefix(path, "/cliente/") {
		all = append(all, erroresv1.Motivo_MOTIVO_PARAMETRO_NO_ADMITIDO)
	}
	if isInstitutionAddress(path) {
		all = append(all, erroresv1.Motivo_MOTIVO_NO_ENCONTRADO)
	}
	if m.takesKey() || m.takesToken() || m.isPlatform() {
		all = append(all, erroresv1.Motivo_MOTIVO_CREDENCIAL_AUSENTE, erroresv1.Motivo_MOTIVO_CREDENCIAL_INVALIDA)
		if m.takesKey() {
			all = append(all, erroresv1.Motivo_MOTIVO_CREDENCIAL_REVOCADA)
		}
		// What asks nothing of nobody is answered from memory, and cannot fail.
		all = append(all, erroresv1.Motivo_MOTIVO_CREDENCIAL_CADUCADA, erroresv1.Motivo_MOTIVO_INTERNO)
	}
	if !m.Acceso.GetPublico() {
		all = append(all, erroresv1.Motivo_MOTIVO_SIN_PERMISO)
	}
	return append(all, erroresv1.Motivo_MOTIVO_DEMASIADAS_SOLICITUDES, erroresv1.Motivo_MOTIVO_NO_DISPONIBLE, erroresv1.Motivo_MOTIVO_TIEMPO_AGOTADO)
}

var bodyMotivos = map[opcionesv1.Cuerpo][]erroresv1.Motivo{
	opcionesv1.Cuerpo_CUERPO_ESTRICTO:   readMotivos,
	opcionesv1.Cuerpo_CUERPO_IGNORADO:   readMotivos,
	opcionesv1.Cuerpo_CUERPO_FIRMADO:    readMotivos,
	opcionesv1.Cuerpo_CUERPO_LOTE:       append([]erroresv1.Motivo{erroresv1.Motivo_MOTIVO_LOTE_VACIO, erroresv1.Motivo_MOTIVO_LOTE_EXCEDIDO}, readMotivos...),
	opcionesv1.Cuerpo_CUERPO_PLATAFORMA: append([]erroresv1.Motivo{erroresv1.Motivo_MOTIVO_VALIDACION}, readMotivos...),
}

var readMotivos = []erroresv1.Motivo{
	erroresv1.Motivo_MOTIVO_JSON_INVALIDO, erroresv1.Motivo_MOTIVO_CUERPO_DEMASIADO_GRANDE, erroresv1.Motivo_MOTIVO_TIPO_NO_ADMITIDO,
}

// A refusal is an error response: a component of the documents.
type refusal struct {
	name, when string
	// codigos are of one status.
	codigos  []string
	platform bool
	// rpc is the only method that it is for.
	rpc string
	// instance is the route of the examples, and examples what they say, where that differs
	// from what the codigo says on the institutions' routes.
	instance string
	examples map[string]failure
}

// A failure is what an example says.
type failure struct {
	detail string
	errors []entry
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

// refusals are all of them. Of those with the same codigos the first that fits is taken.
var refusals = []refusal{
	{name: "CuerpoInvalido", when: "El cuerpo no se pudo leer.", codigos: []string{"json_invalido"},
		instance: "/webhooks/api-keys", examples: map[string]failure{"json_invalido": {errors: []entry{
			{Puntero: "/nombre", Codigo: "tipo", Mensaje: "Se esperaba un texto entre comillas.", Byte: new(39)}}}}},
	{name: "ParametroNoAdmitido", when: "La dirección lleva parámetros.", codigos: []string{"parametro_no_admitido"}},
	{name: "CuerpoOParametroInvalido", when: "El cuerpo no se pudo leer, o la dirección lleva parámetros.",
		codigos: []string{"json_invalido", "parametro_no_admitido"}},
	{name: "LlaveRechazada", when: "Falta la llave, o no sirve.",
		codigos: []string{"credencial_ausente", "credencial_invalida", "credencial_revocada", "credencial_caducada"}},
	{name: "TokenRechazado", when: "Falta el token, o no sirve.",
		codigos:  []string{"credencial_ausente", "credencial_invalida", "credencial_caducada"},
		instance: "/webhooks/api-keys", examples: map[string]failure{
			"credencial_ausente":  {detail: "Falta el token en la cabecera Authorization."},
			"credencial_invalida": {detail: "El token no es válido."},
			"credencial_caducada": {detail: "El token caducó."}}},
	{name: "SinPermiso", when: "La credencial no tiene el ámbito o el rol que la ruta pide.", codigos: []string{"sin_permiso"}},
	{name: "NoEncontrado", when: "La institución o la llave no existe.", codigos: []string{"no_encontrado"},
		instance: "/webhooks/api-keys/AAA010101AAA", examples: map[string]failure{"no_encontrado": {detail: "No existe esa institución."}}},
	{name: "RutaDesconocida", when: "Ese `codigo` no existe.", codigos: []string{"no_encontrado"}, instance: "/errores/otro"},
	{name: "Conflicto", when: "El mismo identificador con otro contenido.", codigos: []string{"conflicto"}, instance: "/webhooks/eventos"},
	{name: "CuerpoDemasiadoGrande", when: "El cuerpo excede el tamaño admitido.", codigos: []string{"cuerpo_demasiado_grande"}},
	{name: "TipoNoAdmitido", when: "El Content-Type o el Content-Encoding no se admite.", codigos: []string{"tipo_no_admitido"}},
	{name: "LoteFueraDeLimites", when: "No hay registros, o hay demasiados.", codigos: []string{"lote_vacio", "lote_excedido"}},
	{name: "RegistrosInvalidos", when: "Algún registro tiene errores, no hay registros o hay demasiados. No se guardó ninguno.",
		codigos: []string{"validacion", "lote_vacio", "lote_excedido"}},
	{name: "EventoInvalido", when: "El evento rompe una regla. No se guardó; corregido, puede enviarse con el mismo identificador.",
		codigos: []string{"validacion"}, rpc: "ReceiveEvento",
		instance: "/webhooks/eventos", examples: map[string]failure{"validacion": {detail: "El evento no es válido; no se guardó.", errors: []entry{
			{Puntero: "/datos/curp", Codigo: "formato", Mensaje: "La CURP debe tener 18 caracteres con la estructura oficial."}}}}},
	{name: "LlaveInvalida", when: "Algún dato rompe una regla. No se emitió ninguna llave.",
		codigos: []string{"validacion"}, rpc: "IssueApiKey",
		instance: "/webhooks/api-keys", examples: map[string]failure{"validacion": {detail: "Los datos de la llave no son válidos.", errors: []entry{
			{Puntero: "/caduca_en", Codigo: "fecha_invalida", Mensaje: "La caducidad debe ser futura."}}}}},
	{name: "DemasiadasSolicitudes", when: "Se excedió el ritmo de solicitudes.", codigos: []string{"demasiadas_solicitudes"}},
	{name: "Interno", when: "Falla interna.", codigos: []string{"interno"}},
	{name: "NoDisponible", when: "Una parte del servicio no responde. No quedó nada a medias.", codigos: []string{"no_disponible"}},
	{name: "TiempoAgotado", when: "Se agotó el tiempo.", codigos: []string{"tiempo_agotado"}},

	// What the manual knows no status for is a 400 on the platform's routes.
	{platform: true, name: "PlataformaSolicitudInvalida", when: "Datos inválidos o formato equivocado.",
		codigos: []string{"validacion", "json_invalido", "tipo_no_admitido"}, examples: map[string]failure{
			"validacion":       {detail: "La solicitud tiene datos inválidos."},
			"tipo_no_admitido": {detail: "El Content-Encoding no se admite; use gzip o ninguno."}}},
	{platform: true, name: "PlataformaNoAutenticado", when: "Falta la credencial, o no sirve.",
		codigos: []string{"credencial_ausente", "credencial_invalida", "credencial_caducada"}, examples: map[string]failure{
			"credencial_ausente":  {detail: "Token no proporcionado"},
			"credencial_invalida": {detail: "Credenciales inválidas"},
			"credencial_caducada": {detail: "El token caducó."}}},
	{platform: true, name: "PlataformaSinPermiso", when: "El token no es de la plataforma o es de otra institución.",
		codigos: []string{"sin_permiso"}, examples: map[string]failure{"sin_permiso": {detail: "El token pertenece a otra institución."}}},
	{platform: true, name: "PlataformaNoEncontrado", when: "La institución no existe.",
		codigos: []string{"no_encontrado"}, examples: map[string]failure{"no_encontrado": {detail: "No existe esa institución."}}},
	{platform: true, name: "PlataformaCuerpoDemasiadoGrande", when: "El cuerpo excede 1 MiB.", codigos: []string{"cuerpo_demasiado_grande"}},
	{platform: true, name: "PlataformaDemasiadasSolicitudes", when: "Demasiadas solicitudes, o demasiados intentos fallidos.",
		codigos: []string{"demasiadas_solicitudes"}},
	{platform: true, name: "PlataformaInterno", when: "Falla interna.", codigos: []string{"interno"}},
	{platform: true, name: "PlataformaNoDisponible", when: "Una parte del servicio no responde.", codigos: []string{"no_disponible"}},
	{platform: true, name: "PlataformaTiempoAgotado", when: "Se agotó el tiempo.", codigos: []string{"tiempo_agotado"}},
}
