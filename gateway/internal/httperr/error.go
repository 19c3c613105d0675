package httperr

import (
	"time"

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

// New makes a refusal.
func New(motivo errores.Motivo, detail string) *Error {
	return &Error{Motivo: motivo, Detail: detail}
}

// Error is for the log.
func (e *Error) Error() string {
	return errores.Codigo(e.Motivo)
}

// Unavailable is the answer while something that the request needs is down.
func Unavailable() *Error {
	return &Error{Motivo: errores.NoDisponible, Detail: errores.DetalleNoDisponible, RetryAfter: time.Second}
}

// OverShare is the answer to what would take more than the share of its sender; detail says
// of what.
func OverShare(detail string) *Error {
	return &Error{Motivo: errores.DemasiadasSolicitudes, Detail: detail, RetryAfter: time.Second}
}

// Internal is the answer to a failure of our own. It shows nothing of the inside.
func Internal() *Error {
	return New(errores.Interno, errores.DetalleInterno)
}

// TooLarge is the answer to a body over the limit.
func TooLarge() *Error {
	return New(errores.CuerpoDemasiadoGrande, errores.DetalleCuerpoGrande)
}

// TooSlow is the answer to a body that came too slowly.
func TooSlow() *Error {
	return New(errores.CuerpoLento, errores.DetalleCuerpoLento)
}

// TimedOut is the answer when the deadline of a request passed.
func TimedOut() *Error {
	return New(errores.TiempoAgotado, errores.DetalleTiempoAgotado)
}

// FromJSON is the answer to a body that could not be read, with the place.
func FromJSON(problem *jsonwire.Error) *Error {
	return &Error{
		Motivo: errores.JSONInvalido,
		Detail: jsonwire.Detalle,
		Errores: []*erroresv1.ErrorDeCampo{{
			Puntero: problem.Puntero,
			Codigo:  problem.Codigo,
			Mensaje: problem.Mensaje,
			Byte:    &problem.Byte,
		}},
	}
}
