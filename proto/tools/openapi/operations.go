package main

// The tags, which are the sections of the documents.
const (
	tagSandbox     = "Sandbox"
	tagRegistros   = "Registros"
	tagSeguimiento = "Seguimiento"
	tagEventos     = "Eventos"
	tagSesion      = "Sesión"
	tagPlataforma  = "Plataforma"
	tagLlaves      = "Llaves"
	tagSistema     = "Sistema"
)

// access is the credential that a route wants.
type access int

const (
	open access = iota
	apiKey
	token
)

// body is what a route reads.
type body int

const (
	none    body = iota
	object       // the documented object
	batch        // records in one of three shapes (contract.md 4.2)
	ignored      // any JSON or nothing
	event        // a signed event
)

// An operation is what contract.md says of an RPC's routes and its google.api.http rule
// cannot.
type operation struct {
	rpc    string
	tag    string
	access access
	body   body
	// platform routes have errors in the form of the national platform's manual.
	platform bool
	// list routes answer with an array of this message, whole and with an ETag.
	list string
	// success is the status of a right answer; alternative another one, or 0.
	success, alternative status
	// constant routes always answer the same, from no database: nothing in them can fail.
	constant bool
	// refusals are the error responses beside those that follow from the above.
	refusals []string
	// summary and comment replace the proto's words where those are for callers of gRPC.
	summary, comment string
	// detail is said after the proto's comment.
	detail string
}

// A status is an HTTP status and when it is answered.
type status struct {
	code int
	when string
}

var correct = status{200, "Correcto."}

// operations are the RPCs with routes, in the order of the documents.
var operations = []operation{
	{
		rpc: "Ping", tag: tagSandbox, access: apiKey, body: ignored, success: correct,
		detail: "Es la primera llamada que conviene hacer: si contesta `pong` con el nombre de su institución, la llave, la red y el TLS están bien. " +
			"El cuerpo es opcional y, si es JSON, no se mira.",
	},
	{
		rpc: "ValidateRegistros", tag: tagRegistros, access: apiKey, body: batch, success: status{200, "El veredicto de cada registro. No se guardó nada."},
		refusals: []string{"LoteFueraDeLimites"},
		detail:   "Responde 200 aunque todos los registros tengan errores: los cuenta `invalidos` y los explica `observaciones`.",
	},
	{
		rpc: "SaveRegistros", tag: tagRegistros, access: apiKey, body: batch,
		success:     status{201, "Se guardaron todos y al menos uno es nuevo."},
		alternative: status{200, "Se guardaron todos y ninguno es nuevo: se actualizaron o ya estaban igual."},
		refusals:    []string{"RegistrosInvalidos"},
		detail: "Con un solo error no se guarda ninguno, y la respuesta 422 los nombra todos. Las advertencias no impiden guardar. " +
			"Repetir la solicitud es inocuo.",
	},
	{
		rpc: "SaveLote", tag: tagRegistros, access: apiKey, body: batch, success: status{200, "Qué pasó con el lote. Vale también cuando todos los registros se rechazaron."},
		refusals: []string{"LoteFueraDeLimites"},
		detail: "Es la ruta para la historia y para el envío diario. Los registros sin errores se guardan y los demás se cuentan en `rechazados` y se explican en " +
			"`observaciones`; siempre `creados + actualizados + sin_cambios + rechazados = total`. Repetir la solicitud es inocuo.",
	},
	{rpc: "ListCasos", tag: tagSeguimiento, access: apiKey, list: "Caso", success: correct},
	{rpc: "ListCoincidencias", tag: tagSeguimiento, access: apiKey, list: "Coincidencia", success: correct},
	{
		rpc: "ListAvisos", tag: tagSeguimiento, access: apiKey, list: "Aviso", success: correct,
		detail: "Sirve para comprobar que la plataforma sí llega a su institución, también con activaciones de prueba. De estas se muestran a lo más 10.",
	},

	{
		rpc: "ReceiveEvento", tag: tagEventos, access: apiKey, body: event, success: status{202, "El registro del evento está guardado."},
		refusals: []string{"Conflicto", "EventoInvalido"},
		summary:  "Recibe un evento firmado según Standard Webhooks",
		comment: "El sistema de la institución cuenta, evento por evento, lo mismo que las rutas de registros reciben en bloque. " +
			"La llave necesita el ámbito `eventos`.",
		detail: "**Firma.** Se calcula HMAC-SHA256, con los bytes de `secreto_webhook` (lo que sigue a `whsec_`, en base64), de " +
			"`<webhook-id>.<webhook-timestamp>.<cuerpo>`, y se envía `v1,` seguido del resultado en base64 en `webhook-signature`. " +
			"La firma cubre los bytes exactos del cuerpo. Un evento sin firma, mal firmado o con más de 5 minutos de diferencia con la hora del servicio se rechaza con 401.\n\n" +
			"**Repeticiones.** El mismo `id` con el mismo cuerpo contesta 202 con `duplicado: true`; con otro cuerpo, 409. " +
			"Si la respuesta se pierde o es 503, repita el evento: lo ya guardado no cambia.\n\n" +
			"**Orden.** Cada evento queda guardado antes de su respuesta, así que vale el último que llegó, por esta ruta o por las de registros.",
	},

	{
		rpc: "Login", tag: tagSesion, access: open, body: object, platform: true, success: correct,
		detail: "El usuario `PUI` es la plataforma nacional y queda ligado a la institución de su clave. Un operador entra con su propio usuario, solo en la raíz. " +
			"Un usuario desconocido y una clave equivocada contestan lo mismo.",
	},
	{
		rpc: "ActivateReporte", tag: tagPlataforma, access: token, body: object, platform: true, success: correct,
		detail: "Los campos que no se conocen se pasan por alto. Repetir el mismo `id` contesta lo mismo y no inicia otra búsqueda.",
	},
	{
		rpc: "ActivateReportePrueba", tag: tagPlataforma, access: token, body: object, platform: true, success: correct,
		detail: "Deja un aviso que la institución ve en `/cliente/reportes`; no abre un caso ni notifica nada.",
	},
	{
		rpc: "DeactivateReporte", tag: tagPlataforma, access: token, body: object, platform: true, success: correct,
		detail: "Un identificador desconocido contesta lo mismo que uno conocido.",
	},

	{
		rpc: "IssueApiKey", tag: tagLlaves, access: token, body: object, success: status{201, "La llave nueva, con sus secretos."},
		refusals: []string{"NoEncontrado", "LlaveInvalida"},
		detail:   "El token es el de un operador. `secreto_webhook` viene solo con el ámbito `eventos`.",
	},
	{
		rpc: "ListApiKeys", tag: tagLlaves, access: token, list: "ApiKey", success: correct, refusals: []string{"NoEncontrado"},
		detail: "El token es el de un operador.",
	},
	{
		rpc: "RevokeApiKey", tag: tagLlaves, access: token, success: status{200, "La llave, revocada."}, refusals: []string{"NoEncontrado"},
		detail: "El token es el de un operador.",
	},

	{rpc: "GetInicio", tag: tagSistema, access: open, constant: true, success: correct},
}
