package integracion

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Firma is what an event was signed with, in the terms of Standard Webhooks.
type Firma struct {
	ID        string // webhook-id
	Timestamp string // webhook-timestamp
	Valor     string // webhook-signature
}

// ErrFirmaVieja is a right signature of another time: more than five minutes ago or ahead.
var ErrFirmaVieja = errors.New("verify signature: its time is too far from now")

// Firmas verifies signatures. Any other error than ErrFirmaVieja is a wrong one.
type Firmas interface {
	Verify(secreto Secreto, firma Firma, cuerpo []byte) error
}

// Captura is where registros takes records. Both methods may be repeated. What is wrong
// with a record comes back as fields that point into it, such as "/curp".
type Captura interface {
	ValidateRegistro(ctx context.Context, empresa tenant.EmpresaID, r RegistroRecibido) ([]errs.Field, error)
	SaveRegistro(ctx context.Context, empresa tenant.EmpresaID, r RegistroRecibido) (coincidencias int, rejected []errs.Field, err error)
}

// Eventos takes events and processes them.
type Eventos struct {
	Store   EventoStore
	Keys    ApiKeyStore
	Caja    Caja
	Firmas  Firmas
	Huellas Huellas
	Captura Captura
	Now     func() time.Time
	Log     *slog.Logger
}

// Authenticate holds that a body was signed with the secret of the key that it came with,
// just now. The key is looked at once more, so that for events a revocation works at once.
func (s *Eventos) Authenticate(ctx context.Context, keyID string, firma Firma, cuerpo []byte) error {
	if firma.ID == "" || firma.Timestamp == "" || firma.Valor == "" {
		return errs.New(errs.CredencialAusente, "Falta la firma del evento: las cabeceras webhook-id, webhook-timestamp y webhook-signature.")
	}
	key, empresa, err := s.Keys.FindApiKey(ctx, keyID)
	if err != nil {
		return err
	}
	err = key.check(key.SecretoSHA256[:], empresa, s.Now())
	if err != nil {
		return err
	}
	secreto, err := s.Caja.Open(key.SecretoWebhook, contextoWebhook(key))
	if err != nil {
		return fmt.Errorf("open webhook secret: %w", err)
	}
	err = s.Firmas.Verify(secreto, firma, cuerpo)
	if errors.Is(err, ErrFirmaVieja) {
		return errs.Wrap(err, errs.CredencialInvalida, "La firma del evento tiene más de cinco minutos de diferencia con la hora actual.")
	}
	if err != nil {
		return errs.Wrap(err, errs.CredencialInvalida, "La firma del evento no es válida.")
	}
	return nil
}

// Recibo is the answer to an event.
type Recibo struct {
	ID        string
	Duplicado bool // it had been accepted before
}

// Receive stores an event whose signature was right, to be processed once. The same id with
// the same content is a duplicate; with another content it is a Conflicto. What breaks a
// rule is kept as rejected, as long as its id is one.
func (s *Eventos) Receive(ctx context.Context, empresa tenant.EmpresaID, keyID string, firma Firma, e EventoFirmado) (Recibo, error) {
	received, fields := e.received(empresa, keyID, firma.ID)
	if len(validateEventoID(e.ID, firma.ID)) > 0 {
		return Recibo{}, errEvento(fields)
	}
	huella, err := s.huellaOf(e)
	if err != nil {
		return Recibo{}, err
	}
	received.Huella = huella
	known, err := s.Store.GetEvento(ctx, empresa, e.ID)
	if err != nil && !errs.Is(err, errs.NoEncontrado) {
		return Recibo{}, err
	}
	if err == nil && known.Estado != EventoRechazado {
		return known.again(received)
	}
	if len(fields) == 0 {
		fields, err = s.validateDatos(ctx, empresa, received.Registro)
		if err != nil {
			return Recibo{}, err
		}
	}
	if len(fields) > 0 {
		return Recibo{}, s.reject(ctx, received, fields)
	}
	stored, isNew, err := s.Store.AcceptEvento(ctx, received)
	if err != nil {
		return Recibo{}, err
	}
	if !isNew {
		return stored.again(received)
	}
	return Recibo{ID: e.ID}, nil
}

// again answers for an event whose id was accepted before.
func (e EventoRecibido) again(newer EventoRecibido) (Recibo, error) {
	if !bytes.Equal(e.Huella, newer.Huella) {
		return Recibo{}, errs.New(errs.Conflicto, "Ya se recibió otro evento con ese identificador.")
	}
	return Recibo{ID: e.ID, Duplicado: true}, nil
}

func (s *Eventos) validateDatos(ctx context.Context, empresa tenant.EmpresaID, r RegistroRecibido) ([]errs.Field, error) {
	fields, err := s.Captura.ValidateRegistro(ctx, empresa, r)
	if err != nil {
		return nil, fmt.Errorf("validate registro: %w", err)
	}
	return underDatos(fields), nil
}

func (s *Eventos) reject(ctx context.Context, e EventoRecibido, fields []errs.Field) error {
	e.Estado, e.Errores, e.Registro = EventoRechazado, fields, RegistroRecibido{}
	err := s.Store.RejectEvento(ctx, e)
	if err != nil {
		return fmt.Errorf("keep rejected evento: %w", err)
	}
	return errEvento(fields)
}

func errEvento(fields []errs.Field) error {
	return errs.New(errs.Validacion, "El evento no es válido; no se guardó.").WithFields(fields...)
}

// underDatos moves what points into the record to where the record is in the event.
func underDatos(fields []errs.Field) []errs.Field {
	for i := range fields {
		fields[i].Puntero = "/datos" + fields[i].Puntero
	}
	return fields
}

// Process saves the record of an event. A run that was cut off may be repeated.
func (s *Eventos) Process(ctx context.Context, empresa tenant.EmpresaID, id string) error {
	e, err := s.Store.GetEvento(ctx, empresa, id)
	if errs.Is(err, errs.NoEncontrado) {
		return nil
	}
	if err != nil {
		return err
	}
	if e.Estado != EventoRecibidoAun {
		return nil
	}
	coincidencias, rejected, err := s.Captura.SaveRegistro(ctx, empresa, e.Registro)
	if err != nil {
		return fmt.Errorf("save registro: %w", err)
	}
	e.Estado, e.Coincidencias = EventoProcesado, coincidencias
	if len(rejected) > 0 {
		// Only if the rules became stricter since it was accepted.
		e.Estado, e.Errores = EventoRechazado, underDatos(rejected)
		s.Log.WarnContext(ctx, "accepted evento was rejected later", "empresa_id", empresa, "evento_id", id)
	}
	return s.Store.FinishEvento(ctx, e)
}
