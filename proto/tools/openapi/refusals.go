package main

// A refusal is one status with the codigos that a route may give with it.
type refusal struct {
	status  int
	when    string
	codigos []string
	// platform: in the form of the national platform's manual.
	platform bool
	// instance is the route of the examples; details and errors are what they say where
	// that differs from what the codigo says on the institutions' routes.
	instance string
	details  map[string]string
	errors   []entry
}

// refusals are the error responses, each a component of the documents.
var refusals = map[string]refusal{
	"CuerpoInvalido": {status: 400, when: "El cuerpo no se pudo leer.", instance: "/webhooks/api-keys", codigos: []string{"json_invalido"},
		errors: []entry{{Puntero: "/nombre", Codigo: "tipo", Mensaje: "Se esperaba un texto entre comillas.", Byte: new(39)}}},
	"ParametroNoAdmitido": {status: 400, when: "La dirección lleva parámetros.", codigos: []string{"parametro_no_admitido"}},
	"CuerpoOParametroInvalido": {status: 400, when: "El cuerpo no se pudo leer, o la dirección lleva parámetros.",
		codigos: []string{"json_invalido", "parametro_no_admitido"}},
	"LlaveRechazada": {status: 401, when: "Falta la llave, o no sirve.",
		codigos: []string{"credencial_ausente", "credencial_invalida", "credencial_revocada", "credencial_caducada"}},
	"TokenRechazado": {status: 401, when: "Falta el token, o no sirve.", instance: "/webhooks/api-keys",
		codigos: []string{"credencial_ausente", "credencial_invalida", "credencial_caducada"},
		details: map[string]string{
			"credencial_ausente":  "Falta el token en la cabecera Authorization.",
			"credencial_invalida": "El token no es válido.",
			"credencial_caducada": "El token caducó.",
		}},
	"SinPermiso": {status: 403, when: "La credencial no tiene el ámbito o el rol que la ruta pide.", codigos: []string{"sin_permiso"}},
	"NoEncontrado": {status: 404, when: "La institución o la llave no existe.", instance: "/webhooks/api-keys/AAA010101AAA",
		codigos: []string{"no_encontrado"}, details: map[string]string{"no_encontrado": "No existe esa institución."}},
	"Conflicto":             {status: 409, when: "El mismo identificador con otro contenido.", instance: "/webhooks/eventos", codigos: []string{"conflicto"}},
	"CuerpoDemasiadoGrande": {status: 413, when: "El cuerpo excede el tamaño admitido.", codigos: []string{"cuerpo_demasiado_grande"}},
	"TipoNoAdmitido":        {status: 415, when: "El Content-Type o el Content-Encoding no se admite.", codigos: []string{"tipo_no_admitido"}},
	"LoteFueraDeLimites":    {status: 422, when: "No hay registros, o hay demasiados.", codigos: []string{"lote_vacio", "lote_excedido"}},
	"RegistrosInvalidos": {status: 422, when: "Algún registro tiene errores, no hay registros o hay demasiados. No se guardó ninguno.",
		codigos: []string{"validacion", "lote_vacio", "lote_excedido"}},
	"EventoInvalido": {status: 422, when: "El evento rompe una regla. No se guardó; corregido, puede enviarse con el mismo identificador.",
		instance: "/webhooks/eventos", codigos: []string{"validacion"}, details: map[string]string{"validacion": "El evento no es válido; no se guardó."},
		errors: []entry{{Puntero: "/datos/curp", Codigo: "formato", Mensaje: "La CURP debe tener 18 caracteres con la estructura oficial."}}},
	"LlaveInvalida": {status: 422, when: "Algún dato rompe una regla. No se emitió ninguna llave.",
		instance: "/webhooks/api-keys", codigos: []string{"validacion"}, details: map[string]string{"validacion": "Los datos de la llave no son válidos."},
		errors: []entry{{Puntero: "/caduca_en", Codigo: "fecha_invalida", Mensaje: "La caducidad debe ser futura."}}},
	"RutaDesconocida":       {status: 404, when: "Ese `codigo` no existe.", instance: "/errores/otro", codigos: []string{"no_encontrado"}},
	"DemasiadasSolicitudes": {status: 429, when: "Se excedió el ritmo de solicitudes.", codigos: []string{"demasiadas_solicitudes"}},
	"Interno":               {status: 500, when: "Falla interna.", codigos: []string{"interno"}},
	"NoDisponible":          {status: 503, when: "Una parte del servicio no responde. No quedó nada a medias.", codigos: []string{"no_disponible"}},
	"TiempoAgotado":         {status: 504, when: "Se agotó el tiempo.", codigos: []string{"tiempo_agotado"}},

	// What the manual knows no status for is a 400 on the platform's routes.
	"PlataformaSolicitudInvalida": {platform: true, status: 400, when: "Datos inválidos o formato equivocado.",
		codigos: []string{"validacion", "json_invalido", "tipo_no_admitido"},
		details: map[string]string{
			"validacion":       "La solicitud tiene datos inválidos.",
			"tipo_no_admitido": "El Content-Encoding no se admite; use gzip o ninguno.",
		}},
	"PlataformaNoAutenticado": {platform: true, status: 401, when: "Falta la credencial, o no sirve.",
		codigos: []string{"credencial_ausente", "credencial_invalida", "credencial_caducada"},
		details: map[string]string{
			"credencial_ausente":  "Token no proporcionado",
			"credencial_invalida": "Credenciales inválidas",
			"credencial_caducada": "El token caducó.",
		}},
	"PlataformaSinPermiso": {platform: true, status: 403, when: "El token no es de la plataforma o es de otra institución.",
		codigos: []string{"sin_permiso"}, details: map[string]string{"sin_permiso": "El token pertenece a otra institución."}},
	"PlataformaNoEncontrado": {platform: true, status: 404, when: "La institución no existe.", codigos: []string{"no_encontrado"},
		details: map[string]string{"no_encontrado": "No existe esa institución."}},
	"PlataformaCuerpoDemasiadoGrande": {platform: true, status: 413, when: "El cuerpo excede 1 MiB.", codigos: []string{"cuerpo_demasiado_grande"}},
	"PlataformaDemasiadasSolicitudes": {platform: true, status: 429, when: "Demasiadas solicitudes, o demasiados intentos fallidos.",
		codigos: []string{"demasiadas_solicitudes"}},
	"PlataformaInterno":       {platform: true, status: 500, when: "Falla interna.", codigos: []string{"interno"}},
	"PlataformaNoDisponible":  {platform: true, status: 503, when: "Una parte del servicio no responde.", codigos: []string{"no_disponible"}},
	"PlataformaTiempoAgotado": {platform: true, status: 504, when: "Se agotó el tiempo.", codigos: []string{"tiempo_agotado"}},
}
