package httperr

import "net/http"

// codigoSolicitudInvalida is the one code that no RPC can be refused with: it is said of what
// is no HTTP request.
const codigoSolicitudInvalida = "solicitud_invalida"

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
	kind := kind{codigo: codigoSolicitudInvalida, title: "La solicitud no se pudo leer", status: status}
	return w.appendProblem(nil, kind, About{RequestID: requestID}, &Error{Detail: detail})
}
