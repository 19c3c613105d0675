package eventos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Firma is what an event was signed with, in the terms of Standard Webhooks.
type Firma struct {
	ID        string // webhook-id
	Timestamp string // webhook-timestamp
	Valor     string // webhook-signature
}

// Tolerancia is how far the time of a signature may be from now, ago or ahead.
const Tolerancia = 5 * time.Minute

// ErrFirmaVieja is a right signature of another time, farther away than Tolerancia.
var ErrFirmaVieja = errors.New("verify signature: its time is too far from now")

// Firmas verifies signatures. Any other error than ErrFirmaVieja is a wrong one.
type Firmas interface {
	Verify(secreto cuentas.Secreto, firma Firma, cuerpo []byte) error
}

// Keys are the institutions' keys. The secret of one that does not work is refused.
type Keys interface {
	OpenSecretoWebhook(ctx context.Context, keyID string) (cuentas.Secreto, error)
}

// Captura is where registros takes records. Saving one may be repeated. What is wrong with it
// comes back as fields that point into it, such as "/curp"; then it was not saved.
type Captura interface {
	SaveRegistro(ctx context.Context, empresa tenant.EmpresaID, r *registrosv1.Registro) (rejected []errs.Field, err error)
}

// Eventos takes events: each is saved before it is answered, so what arrives later is never
// overwritten by what arrived before.
type Eventos struct {
	Store   Store
	Keys    Keys
	Firmas  Firmas
	Huellas cuentas.Huellas
	Captura Captura
}

// Authenticate holds that a body was signed with the secret of the key that it came with,
// just now.
func (s *Eventos) Authenticate(ctx context.Context, keyID string, firma Firma, cuerpo []byte) error {
	if firma.ID == "" || firma.Timestamp == "" || firma.Valor == "" {
		return errs.New(errores.CredencialAusente, errores.DetalleSinFirma)
	}
	secreto, err := s.Keys.OpenSecretoWebhook(ctx, keyID)
	if err != nil {
		return err
	}
	err = s.Firmas.Verify(secreto, firma, cuerpo)
	if errors.Is(err, ErrFirmaVieja) {
		return errs.Wrap(err, errores.CredencialInvalida,
			fmt.Sprintf("La firma del evento tiene más de %.0f minutos de diferencia con la hora actual.", Tolerancia.Minutes()))
	}
	if err != nil {
		return errs.Wrap(err, errores.CredencialInvalida, "La firma del evento no es válida.")
	}
	return nil
}

// Recibo is the answer to an event.
type Recibo struct {
	ID        string
	Duplicado bool // it had been accepted before
}

// Receive saves an event whose signature was right, once. The same id with the same content
// is a duplicate; with another content it is a Conflicto. What breaks a rule is not kept, so
// its id is free for the mended event.
//
// Of two events of one folio that arrive one after the other the second counts; of two at
// once, the one that registros takes last, as with two batches. A sender that never learns
// the answer repeats the event: what was saved already is found unchanged.
func (s *Eventos) Receive(ctx context.Context, empresa tenant.EmpresaID, firma Firma, e EventoFirmado) (Recibo, error) {
	fields := validateEventoID(e.ID, firma.ID)
	if len(fields) > 0 {
		return Recibo{}, errEvento(append(fields, e.validate()...))
	}
	huella, err := s.huellaOf(e)
	if err != nil {
		return Recibo{}, err
	}
	received := EventoAceptado{EmpresaID: empresa, ID: e.ID, Huella: huella}
	counts, isNew, err := s.Store.AcceptEvento(ctx, received, func(ctx context.Context) error { return s.save(ctx, empresa, e) })
	if err != nil {
		return Recibo{}, err
	}
	if !bytes.Equal(counts.Huella, huella) {
		return Recibo{}, errs.New(errores.Conflicto, "Ya se recibió otro evento con ese identificador.")
	}
	return Recibo{ID: e.ID, Duplicado: !isNew}, nil
}

// saveLimit bounds the wait for registros: the sender waits, and the event's row with it.
const saveLimit = 5 * time.Second

func (s *Eventos) save(ctx context.Context, empresa tenant.EmpresaID, e EventoFirmado) error {
	fields := e.validate()
	if len(fields) > 0 {
		return errEvento(fields)
	}
	ctx, cancel := context.WithTimeout(ctx, saveLimit)
	defer cancel()
	rejected, err := s.Captura.SaveRegistro(ctx, empresa, e.Datos)
	if errs.Away(err) {
		return errs.Wrap(err, errores.NoDisponible, errores.DetalleNoDisponible).After(time.Second)
	}
	if err != nil {
		return fmt.Errorf("save registro: %w", err)
	}
	if len(rejected) > 0 {
		return errEvento(underDatos(rejected))
	}
	return nil
}

func errEvento(fields []errs.Field) error {
	return errs.New(errores.Validacion, "El evento no es válido; no se guardó.").WithFields(fields...)
}

// underDatos moves what points into the record to where the record is in the event.
func underDatos(fields []errs.Field) []errs.Field {
	for i := range fields {
		fields[i].Puntero = "/datos" + fields[i].Puntero
	}
	return fields
}
