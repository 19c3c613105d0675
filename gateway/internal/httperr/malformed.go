package httperr

import "net/http"

// SolicitudInvalida is the one code that no RPC can be refused with, so no proto explains it:
// it is said of what is no HTTP request.
const SolicitudInvalida = "solicitud_invalida"

// What a page says of it.
const (
	TituloSolicitudInvalida  = "La solicitud no se pudo leer"
	EstadosSolicitudInvalida = "400, 417, 431, 501 o 505"
	CausaSolicitudInvalida   = "Lo que llegó no es una solicitud HTTP que se pueda leer: le falta `Host`, tiene dos longitudes, sus cabeceras exceden el tamaño admitido, " +
		"o pide una versión, un `Transfer-Encoding` o un `Expect` que no se admiten. Por eso la respuesta no dice de qué ruta es."
	CuraSolicitudInvalida = "Use una biblioteca de HTTP en lugar de armar la solicitud a mano y, si hay un proxy intermedio, revise qué cambia. " +
		"`detail` dice qué falta o sobra; repetir la misma solicitud da la misma respuesta."
)

// malformed words what net/http finds wrong before there is a request.
var malformed = map[int]string{
	http.StatusExpectationFailed:           "El Expect no se admite; use 100-continue o ninguno.",
	http.StatusRequestHeaderFieldsTooLarge: "Las cabeceras exceden el tamaño admitido.",
	http.StatusNotImplemented:              "El Transfer-Encoding no se admite; use chunked o ninguno.",
	http.StatusHTTPVersionNotSupported:     "La versión de HTTP no se admite.",
}

// Malformed is the body of the answer to what is no HTTP request. Nobody knows its path.
func (w *Writer) Malformed(status int, requestID string) []byte {
	detail, known := malformed[status]
	if !known {
		detail = "Lo recibido no es una solicitud HTTP."
	}
	kind := kind{codigo: SolicitudInvalida, title: TituloSolicitudInvalida, status: status}
	return w.appendProblem(nil, kind, About{RequestID: requestID}, &Error{Detail: detail})
}
