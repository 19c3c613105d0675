package routes

import (
	"errors"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/proto/errores"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
	"github.com/enlace-iis/enlace/proto/jsonwire"
)

// Error is a refusal ready to be answered. Everything in it may be shown.
type Error struct {
	Motivo     errores.Motivo
	Detail     string // Spanish
	Errores    []*erroresv1.ErrorDeCampo
	RetryAfter time.Duration // zero when waiting does not help
	Quota      *Quota        // of a DemasiadasSolicitudes; nil when unknown
}

// Quota is the limit that was exceeded, for the RateLimit headers.
type Quota struct {
	Name   string // "ip"
	Limit  int    // requests
	Window time.Duration
}

// NewError makes a refusal.
func NewError(motivo errores.Motivo, detail string) *Error {
	return &Error{Motivo: motivo, Detail: detail}
}

// Error is for the log.
func (e *Error) Error() string { return errores.Codigo(e.Motivo) }

// The refusals that are always the same.
var (
	ErrUnavailable = &Error{Motivo: errores.NoDisponible, Detail: errores.DetalleNoDisponible, RetryAfter: time.Second}
	ErrInternal    = NewError(errores.Interno, errores.DetalleInterno)
	ErrTooLarge    = NewError(errores.CuerpoDemasiadoGrande, errores.DetalleCuerpoGrande)
	ErrTooSlow     = NewError(errores.CuerpoLento, errores.DetalleCuerpoLento)
	ErrTimedOut    = NewError(errores.TiempoAgotado, errores.DetalleTiempoAgotado)
)

// FromError gives the answer to an *Error, to what the reader of a body found, with the place, or to
// whatever a call of a service returned. Text of a status shows only if a service of ours worded it,
// which its ErrorInfo says.
func FromError(err error) *Error {
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refusal
	}
	if place, ok := errors.AsType[*jsonwire.Error](err); ok {
		return &Error{Motivo: errores.JSONInvalido, Detail: jsonwire.Detalle, Errores: []*erroresv1.ErrorDeCampo{
			{Puntero: place.Puntero, Codigo: place.Codigo, Mensaje: place.Mensaje, Byte: &place.Byte},
		}}
	}
	st := status.Convert(err)
	// Convert would put the text of whatever wraps the status in front.
	if carrier, ok := errors.AsType[interface {
		error
		GRPCStatus() *status.Status
	}](err); ok {
		st = carrier.GRPCStatus()
	}
	told, ours := errores.Read(st)
	if !ours {
		return fromForeign(st.Code())
	}
	if !errores.Known(told.Motivo) {
		told.Motivo = fallback(st.Code())
	}
	if told.Motivo == errores.Interno {
		return ErrInternal
	}
	refusal := &Error{Motivo: told.Motivo, Detail: told.Message, Errores: told.Errores, RetryAfter: told.RetryAfter}
	if told.Motivo == errores.DemasiadasSolicitudes && told.Cuota != nil {
		refusal.Quota = &Quota{Name: "credencial", Limit: told.Cuota.Limite, Window: told.Cuota.Ventana}
	}
	return refusal
}

// fromForeign is for a status that no service of ours worded: transport, deadline, or a mistake.
func fromForeign(code codes.Code) *Error {
	switch code {
	case codes.Unavailable, codes.Canceled:
		return ErrUnavailable
	case codes.DeadlineExceeded:
		return ErrTimedOut
	case codes.ResourceExhausted:
		return ErrTooLarge // what gRPC itself refuses for its size
	default:
		return ErrInternal
	}
}

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
