package errs

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/proto/errores"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

// messageCancelada is for nobody, as its reader has gone.
const messageCancelada = "La solicitud fue cancelada por quien la hizo."

// ToStatus puts err on the wire: code, safe message, reason, places and waiting time. An
// error without a reason becomes Interno and loses its text; the caller logs it first. A
// canceled context keeps its own code, and a passed deadline is TiempoAgotado.
func ToStatus(err error) *status.Status {
	if err == nil {
		return status.New(codes.OK, "")
	}
	refusal, found := errors.AsType[*Error](FromStatus(err))
	switch {
	case found:
		return refusal.status()
	case errors.Is(err, context.Canceled) || status.Code(err) == codes.Canceled:
		return status.New(codes.Canceled, messageCancelada)
	case errors.Is(err, context.DeadlineExceeded):
		return New(errores.TiempoAgotado, errores.DetalleTiempoAgotado).status()
	default:
		return New(errores.Interno, errores.DetalleInterno).status()
	}
}

// FromStatus is the reverse, on the calling side: the refusal that the peer made, as if it
// had been made here. Without our details Unavailable is NoDisponible, DeadlineExceeded is
// TiempoAgotado and Canceled is [context.Canceled]; any other status is an error without a
// reason, for what a stranger refuses is our fault and not our client's. An error that is
// no status comes back as it is.
func FromStatus(err error) error {
	received, ok := status.FromError(err)
	if err == nil || !ok {
		return err
	}
	// A status deep inside an error that has its reason already was its cause.
	_, classified := errors.AsType[*Error](err)
	if classified {
		return err
	}
	refusal, ours := fromDetails(received)
	if ours {
		return refusal
	}
	switch received.Code() {
	case codes.Unavailable:
		return Wrap(err, errores.NoDisponible, errores.DetalleNoDisponible)
	case codes.DeadlineExceeded:
		return Wrap(err, errores.TiempoAgotado, errores.DetalleTiempoAgotado)
	case codes.Canceled:
		return context.Canceled
	default:
		return fmt.Errorf("call peer: %w", err)
	}
}

func (e *Error) status() *status.Status {
	if !errores.Known(e.Motivo) {
		return New(errores.Interno, errores.DetalleInterno).status()
	}
	refusal := errores.Refusal{Motivo: e.Motivo, Message: e.Message, Errores: e.wireFields(), RetryAfter: e.RetryAfter, Cuota: e.Cuota}
	return refusal.Status()
}

func (e *Error) wireFields() []*erroresv1.ErrorDeCampo {
	wire := make([]*erroresv1.ErrorDeCampo, len(e.Fields))
	for i, field := range e.Fields {
		wire[i] = &erroresv1.ErrorDeCampo{
			Puntero: errores.ValidText(field.Puntero),
			Codigo:  errores.ValidText(field.Codigo),
			Mensaje: errores.ValidText(field.Mensaje),
		}
		if field.Indice >= 0 {
			wire[i].Indice = new(int32(field.Indice))
		}
		if field.Folio != "" {
			wire[i].Folio = new(errores.ValidText(field.Folio))
		}
		if e.Motivo == errores.JSONInvalido {
			wire[i].Byte = new(field.Byte)
		}
	}
	return wire
}

// fromDetails rebuilds a refusal. A reason that this build does not know yet counts as
// none, so that the code decides.
func fromDetails(received *status.Status) (*Error, bool) {
	refusal, ours := errores.Read(received)
	if !ours || refusal.Motivo == erroresv1.Motivo_MOTIVO_UNSPECIFIED {
		return nil, false
	}
	return &Error{
		Motivo:     refusal.Motivo,
		Message:    refusal.Message,
		Fields:     fieldsFromWire(refusal.Errores),
		RetryAfter: refusal.RetryAfter,
		Cuota:      refusal.Cuota,
	}, true
}

func fieldsFromWire(wire []*erroresv1.ErrorDeCampo) []Field {
	fields := make([]Field, len(wire))
	for i, field := range wire {
		fields[i] = Field{
			Indice:  SinIndice,
			Folio:   field.GetFolio(),
			Puntero: field.GetPuntero(),
			Codigo:  field.GetCodigo(),
			Mensaje: field.GetMensaje(),
			Byte:    field.GetByte(),
		}
		if field.Indice != nil {
			fields[i].Indice = int(field.GetIndice())
		}
	}
	return fields
}
