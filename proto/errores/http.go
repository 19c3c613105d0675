package errores

import (
	"net/http"

	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

var statuses = map[erroresv1.Motivo]int{
	erroresv1.Motivo_MOTIVO_JSON_INVALIDO:           http.StatusBadRequest,
	erroresv1.Motivo_MOTIVO_PARAMETRO_NO_ADMITIDO:   http.StatusBadRequest,
	erroresv1.Motivo_MOTIVO_CREDENCIAL_AUSENTE:      http.StatusUnauthorized,
	erroresv1.Motivo_MOTIVO_CREDENCIAL_INVALIDA:     http.StatusUnauthorized,
	erroresv1.Motivo_MOTIVO_CREDENCIAL_REVOCADA:     http.StatusUnauthorized,
	erroresv1.Motivo_MOTIVO_CREDENCIAL_CADUCADA:     http.StatusUnauthorized,
	erroresv1.Motivo_MOTIVO_SIN_PERMISO:             http.StatusForbidden,
	erroresv1.Motivo_MOTIVO_NO_ENCONTRADO:           http.StatusNotFound,
	erroresv1.Motivo_MOTIVO_METODO_NO_PERMITIDO:     http.StatusMethodNotAllowed,
	erroresv1.Motivo_MOTIVO_CONFLICTO:               http.StatusConflict,
	erroresv1.Motivo_MOTIVO_CUERPO_DEMASIADO_GRANDE: http.StatusRequestEntityTooLarge,
	erroresv1.Motivo_MOTIVO_TIPO_NO_ADMITIDO:        http.StatusUnsupportedMediaType,
	erroresv1.Motivo_MOTIVO_LOTE_VACIO:              http.StatusUnprocessableEntity,
	erroresv1.Motivo_MOTIVO_LOTE_EXCEDIDO:           http.StatusUnprocessableEntity,
	erroresv1.Motivo_MOTIVO_VALIDACION:              http.StatusUnprocessableEntity,
	erroresv1.Motivo_MOTIVO_DEMASIADAS_SOLICITUDES:  http.StatusTooManyRequests,
	erroresv1.Motivo_MOTIVO_INTERNO:                 http.StatusInternalServerError,
	erroresv1.Motivo_MOTIVO_NO_DISPONIBLE:           http.StatusServiceUnavailable,
	erroresv1.Motivo_MOTIVO_TIEMPO_AGOTADO:          http.StatusGatewayTimeout,
}

// Status is the HTTP status of a reason on the routes of institutions and operators; 500 for
// one that this build does not know.
func Status(motivo erroresv1.Motivo) int {
	status, known := statuses[motivo]
	if !known {
		return http.StatusInternalServerError
	}
	return status
}

// PlatformStatus is the status on the routes that the national platform calls. Its manual
// (8.1 to 8.4) knows one status for whatever is wrong with a request's content.
func PlatformStatus(motivo erroresv1.Motivo) int {
	status := Status(motivo)
	switch status {
	case http.StatusUnprocessableEntity, http.StatusUnsupportedMediaType, http.StatusConflict:
		return http.StatusBadRequest
	default:
		return status
	}
}
