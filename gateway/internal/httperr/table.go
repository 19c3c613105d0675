package httperr

import (
	"google.golang.org/grpc/codes"

	"github.com/enlace-iis/enlace/proto/errores"
)

// fallback is the reason for an error of ours whose own reason is newer than this program.
func fallback(code codes.Code) errores.Motivo {
	switch code {
	case codes.Unauthenticated:
		return errores.CredencialInvalida
	case codes.PermissionDenied:
		return errores.SinPermiso
	case codes.NotFound:
		return errores.NoEncontrado
	case codes.AlreadyExists, codes.Aborted:
		return errores.Conflicto
	case codes.InvalidArgument, codes.FailedPrecondition, codes.OutOfRange:
		return errores.Validacion
	case codes.ResourceExhausted:
		return errores.DemasiadasSolicitudes
	case codes.Unavailable:
		return errores.NoDisponible
	case codes.DeadlineExceeded:
		return errores.TiempoAgotado
	default:
		return errores.Interno
	}
}
