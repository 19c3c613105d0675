package httperr

import (
	"google.golang.org/grpc/codes"

	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

// Motivo is the reason of the public contract.
type Motivo = erroresv1.Motivo

// The reasons, under shorter names.
const (
	JSONInvalido          = erroresv1.Motivo_MOTIVO_JSON_INVALIDO
	ParametroNoAdmitido   = erroresv1.Motivo_MOTIVO_PARAMETRO_NO_ADMITIDO
	CredencialAusente     = erroresv1.Motivo_MOTIVO_CREDENCIAL_AUSENTE
	CredencialInvalida    = erroresv1.Motivo_MOTIVO_CREDENCIAL_INVALIDA
	CredencialRevocada    = erroresv1.Motivo_MOTIVO_CREDENCIAL_REVOCADA
	CredencialCaducada    = erroresv1.Motivo_MOTIVO_CREDENCIAL_CADUCADA
	SinPermiso            = erroresv1.Motivo_MOTIVO_SIN_PERMISO
	NoEncontrado          = erroresv1.Motivo_MOTIVO_NO_ENCONTRADO
	MetodoNoPermitido     = erroresv1.Motivo_MOTIVO_METODO_NO_PERMITIDO
	Conflicto             = erroresv1.Motivo_MOTIVO_CONFLICTO
	CuerpoDemasiadoGrande = erroresv1.Motivo_MOTIVO_CUERPO_DEMASIADO_GRANDE
	TipoNoAdmitido        = erroresv1.Motivo_MOTIVO_TIPO_NO_ADMITIDO
	LoteVacio             = erroresv1.Motivo_MOTIVO_LOTE_VACIO
	LoteExcedido          = erroresv1.Motivo_MOTIVO_LOTE_EXCEDIDO
	Validacion            = erroresv1.Motivo_MOTIVO_VALIDACION
	DemasiadasSolicitudes = erroresv1.Motivo_MOTIVO_DEMASIADAS_SOLICITUDES
	Interno               = erroresv1.Motivo_MOTIVO_INTERNO
	NoDisponible          = erroresv1.Motivo_MOTIVO_NO_DISPONIBLE
	TiempoAgotado         = erroresv1.Motivo_MOTIVO_TIEMPO_AGOTADO
)

// detalleCuerpoGrande is what the edge says in its own name, as no service worded it.
const detalleCuerpoGrande = "El cuerpo excede el tamaño admitido."

// fallback is the reason for an error of ours whose own reason is newer than this program.
func fallback(code codes.Code) Motivo {
	switch code {
	case codes.Unauthenticated:
		return CredencialInvalida
	case codes.PermissionDenied:
		return SinPermiso
	case codes.NotFound:
		return NoEncontrado
	case codes.AlreadyExists, codes.Aborted:
		return Conflicto
	case codes.InvalidArgument, codes.FailedPrecondition, codes.OutOfRange:
		return Validacion
	case codes.ResourceExhausted:
		return DemasiadasSolicitudes
	case codes.Unavailable:
		return NoDisponible
	case codes.DeadlineExceeded:
		return TiempoAgotado
	default:
		return Interno
	}
}
