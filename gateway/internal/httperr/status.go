package httperr

import (
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/proto/jsonwire"
)

// FromError gives the answer to whatever a call to a service returned, to what the reader of
// a body found, or to an *Error of the edge itself.
func FromError(err error) *Error {
	refusal, ok := errors.AsType[*Error](err)
	if ok {
		return refusal
	}
	unreadable, ok := errors.AsType[*jsonwire.Error](err)
	if ok {
		return FromJSON(unreadable)
	}
	st := statusOf(err)
	told, ours := errores.Read(st)
	if !ours {
		return fromForeign(st.Code())
	}
	motivo := told.Motivo
	if !errores.Known(motivo) {
		motivo = fallback(st.Code())
	}
	if motivo == errores.Interno {
		return Internal()
	}
	refusal = New(motivo, told.Message)
	refusal.Errores, refusal.RetryAfter = told.Errores, told.RetryAfter
	if motivo == errores.DemasiadasSolicitudes && told.Cuota != nil {
		refusal.Quota = &Quota{Name: "credencial", Limit: told.Cuota.Limite, Window: told.Cuota.Ventana}
	}
	return refusal
}

// statusOf finds the status as its service worded it. status.Convert would put the text of
// whatever wraps it in front.
func statusOf(err error) *status.Status {
	var carrier interface{ GRPCStatus() *status.Status }
	if errors.As(err, &carrier) {
		return carrier.GRPCStatus()
	}
	return status.Convert(err)
}

// fromForeign is for a status that no service of ours worded: transport, deadline, or a
// mistake. Its text may hold anything and is dropped.
func fromForeign(code codes.Code) *Error {
	switch code {
	case codes.Unavailable, codes.Canceled:
		return Unavailable()
	case codes.DeadlineExceeded:
		return TimedOut()
	case codes.ResourceExhausted:
		// What gRPC itself refuses for its size.
		return TooLarge()
	default:
		return Internal()
	}
}
