// Package errs is the one error type that crosses a border of Enlace: from storage to
// domain, from service to service over gRPC, and from there to a client.
//
// An [Error] says why (its Motivo, part of the public contract), what a client may read
// (Message and Fields, Spanish, no personal data) and, for the log alone, what caused it.
// Any other error is internal: it is logged and shown to nobody.
package errs

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
)

// SinIndice is the Indice of a [Field] that belongs to no record of a batch.
const SinIndice = -1

// Field is one place of what was sent, and what is wrong there.
type Field struct {
	Indice  int    // position in the batch from 0, or SinIndice
	Folio   string // the record's folio, when it could be read
	Puntero string // JSON Pointer (RFC 6901)
	Codigo  string // the broken rule; stable
	Mensaje string // how to mend it, in Spanish
	Byte    int64  // offset in the body, only for JSON that could not be read
}

// Campo is a refused place outside of any batch.
func Campo(puntero, codigo, mensaje string) Field {
	return Field{Indice: SinIndice, Puntero: puntero, Codigo: codigo, Mensaje: mensaje}
}

// CampoManual words a refused place as the manual does: 'curp' es obligatorio.
func CampoManual(nombre, codigo, problema string) Field {
	return Campo("/"+nombre, codigo, "'"+nombre+"' "+problema)
}

// Error is a refusal with its reason.
type Error struct {
	Motivo     errores.Motivo
	Message    string        // Spanish, safe to show
	Fields     []Field       // the places that failed, if any
	RetryAfter time.Duration // how long to wait, for refusals that pass; else zero
	Cuota      *Cuota        // the limit that was passed, for DemasiadasSolicitudes; may be nil

	cause error
}

// Cuota is a limit on how often something may be asked.
type Cuota = errores.Cuota

// New makes a refusal that a client may read.
func New(motivo errores.Motivo, message string) *Error {
	return &Error{Motivo: motivo, Message: message}
}

// Wrap makes a refusal with a cause that only the log shows.
func Wrap(cause error, motivo errores.Motivo, message string) *Error {
	return &Error{Motivo: motivo, Message: message, cause: cause}
}

// FiltroNoAdmitido refuses a filter that no row could ever pass: an empty list would lie.
func FiltroNoAdmitido(puntero, admitidos string) *Error {
	return New(errores.Validacion, "El filtro no es válido.").
		WithFields(Campo(puntero, errores.ValorNoAdmitido, "Se admite "+admitidos+"."))
}

// SolicitudInvalida refuses what the platform sent, at the places that [CampoManual] words.
func SolicitudInvalida(fields ...Field) *Error {
	return New(errores.Validacion, "La solicitud tiene datos inválidos.").WithFields(fields...)
}

// WithFields adds the places that failed and returns e.
func (e *Error) WithFields(fields ...Field) *Error {
	e.Fields = append(e.Fields, fields...)
	return e
}

// After tells how long to wait before trying again and returns e.
func (e *Error) After(wait time.Duration) *Error {
	e.RetryAfter = wait
	return e
}

// Within tells the limit that was passed and returns e.
func (e *Error) Within(cuota Cuota) *Error {
	e.Cuota = &cuota
	return e
}

// Error is for the log: the reason and the cause.
func (e *Error) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("%s: %s", e.Motivo, e.Message)
	}
	return fmt.Sprintf("%s: %v", e.Motivo, e.cause)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error {
	return e.cause
}

// MotivoOf gives the reason of err, or [errores.Interno] if err has none.
func MotivoOf(err error) errores.Motivo {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal.Motivo
	}
	return errores.Interno
}

// Is tells whether err was refused for that reason.
func Is(err error, motivo errores.Motivo) bool {
	return err != nil && MotivoOf(err) == motivo
}

// Away tells that nobody answered: the other service, or a database, is away or too slow.
func Away(err error) bool {
	return Is(err, errores.NoDisponible) || Is(err, errores.TiempoAgotado)
}

// Panic is a panic that became an error. It has the stack and not the value, which may hold
// anything, a record's content included.
type Panic struct {
	Stack string
}

// Recovered makes the error of what recover gave; of a Panic that was passed on it is that itself.
func Recovered(value any) *Panic {
	panicked, passedOn := value.(*Panic)
	if passedOn {
		return panicked
	}
	return &Panic{Stack: string(debug.Stack())}
}

func (p *Panic) Error() string { return "panic\n" + p.Stack }
