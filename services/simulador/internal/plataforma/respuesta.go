package plataforma

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The statuses of §7 that a served request can have. Plain numbers, because the
// rules know nothing of a transport.
const (
	statusOK           = 200
	statusMultiples    = 300
	statusInvalido     = 400
	statusNoAutorizado = 401
	statusProhibido    = 403
	statusLimite       = 429
	statusInterno      = 500
	statusTiempo       = 504
)

// The texts of §7 for a request without a living token: the manual prints the
// first; it has none for a token that is there and not good.
const (
	textoSinToken       = "Token no proporcionado"
	textoTokenInvalido  = "Token inválido o expirado"
	textoNoAdmitida     = "Credenciales inválidas"
	textoFinalizadaMala = "Error al guardar el registro."
)

// resultado is what a request came to: a status with its body, and the reasons
// when it was refused.
type resultado struct {
	status  int
	cuerpo  any
	errores Errores
}

type cuerpoToken struct {
	Token string `json:"token"`
}

type cuerpoMensaje struct {
	Message string `json:"message"`
}

type cuerpoError struct {
	Error   string   `json:"error,omitzero"`
	Errores []string `json:"errores,omitzero"`
}

func (r resultado) encode() (jsontext.Value, error) {
	cuerpo, err := json.Marshal(r.cuerpo)
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return cuerpo, nil
}

func accepted(mensaje string) resultado {
	return resultado{status: statusOK, cuerpo: cuerpoMensaje{mensaje}}
}

func failed(status int, texto string) resultado {
	return resultado{status: status, cuerpo: cuerpoError{Error: texto}, errores: Errores{texto}}
}

// refused is a 400 with the reasons. §7.3 has neither: its table knows 200, 401 and 500, and
// its examples of missing and empty fields answer error alone (manual lines 778-784, 810 and 821).
// The reasons stay in the log.
func refused(ruta Ruta, errores Errores) resultado {
	if ruta == RutaBusquedaFinalizada {
		return resultado{status: statusInterno, cuerpo: cuerpoError{Error: textoFinalizadaMala}, errores: errores}
	}
	return invalid(errores)
}

func invalid(errores Errores) resultado {
	return resultado{status: statusInvalido, cuerpo: cuerpoError{Errores: errores}, errores: errores}
}

// simulated is the answer of a status fault, shaped as the manual shapes that
// status on that route.
func simulated(ruta Ruta, status int) resultado {
	switch status {
	case statusMultiples:
		return resultado{status: status, cuerpo: cuerpoMensaje{"Coincidencias múltiples"}}
	case statusInvalido:
		return invalid(Errores{"Falla simulada: datos inválidos"})
	case statusNoAutorizado:
		if ruta == RutaLogin {
			return failed(status, textoNoAdmitida)
		}
		return failed(status, textoTokenInvalido)
	case statusProhibido:
		if ruta == RutaLogin {
			return failed(status, textoNoAdmitida)
		}
		return failed(status, "Sin permiso para esta operación")
	case statusLimite:
		return failed(status, "Demasiadas solicitudes")
	case statusInterno:
		return failed(status, internalText(ruta))
	case statusTiempo:
		return failed(status, "Tiempo de espera agotado")
	default:
		return failed(status, fmt.Sprintf("Falla simulada: status %d", status))
	}
}

// internalText is the table's wording of a 500, route by route.
func internalText(ruta Ruta) string {
	switch ruta {
	case RutaNotificarCoincidencia:
		return "Error procesando coincidencia"
	case RutaBusquedaFinalizada:
		return textoFinalizadaMala
	case RutaReportes:
		return "Error al obtener los reportes"
	default:
		return "Error procesando petición"
	}
}
