package eventos

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// EventoFirmado is an event as an institution's system sends it (contract, section 5), read
// but not validated.
type EventoFirmado struct {
	ID    string     `json:"id"`
	Tipo  TipoEvento `json:"tipo"`
	Fecha string     `json:"fecha"`
	// Datos is the record as it came, which registros has yet to validate.
	Datos *registrosv1.Registro `json:"datos"`
}

// TipoEvento is what an event tells.
type TipoEvento string

// The kinds of event. Both are saved alike: the folio tells what is new.
const (
	RegistroCreado      TipoEvento = "registro.creado"
	RegistroActualizado TipoEvento = "registro.actualizado"
)

// EventoAceptado is what is kept of an event: enough to tell a repeated one from another one
// with its id.
type EventoAceptado struct {
	EmpresaID tenant.EmpresaID
	ID        string
	// Huella tells contents apart without keeping them.
	Huella []byte
}

// Store keeps which events were accepted.
type Store interface {
	// AcceptEvento keeps an event once save has done, and gives it back. Of one whose id was
	// accepted before it gives that one, and save is not called. Of many at once with one id,
	// on whatever replica, the others wait for the first, which must neither be saved twice
	// nor contradicted by one that is not. With an error of save nothing is kept. save may be
	// called again when the database broke off.
	AcceptEvento(ctx context.Context, e EventoAceptado, save func(context.Context) error) (counts EventoAceptado, isNew bool, err error)
}

const maxEventoID = 100

// validate checks everything but the record.
func (e EventoFirmado) validate() []errs.Field {
	var fields []errs.Field
	switch e.Tipo {
	case RegistroCreado, RegistroActualizado:
	case "":
		fields = append(fields, errs.Campo("/tipo", errores.Requerido, "Indique el tipo del evento."))
	default:
		fields = append(fields, errs.Campo("/tipo", errores.ValorNoAdmitido, "El tipo debe ser registro.creado o registro.actualizado."))
	}
	fields = append(fields, validateInstante(e.Fecha)...)
	if e.Datos == nil {
		fields = append(fields, errs.Campo("/datos", errores.Requerido, "Incluya el registro."))
	}
	return fields
}

func validateEventoID(id, webhookID string) []errs.Field {
	switch {
	case id == "":
		return []errs.Field{errs.Campo("/id", errores.Requerido, "Indique el identificador del evento.")}
	case len([]rune(id)) > maxEventoID:
		return []errs.Field{errs.Campo("/id", errores.Longitud, fmt.Sprintf("El identificador debe tener entre 1 y %d caracteres.", maxEventoID))}
	case manual.HasControl(id):
		return []errs.Field{errs.Campo("/id", errores.CaracterNoPermitido, "El identificador no admite caracteres de control.")}
	case id != webhookID:
		return []errs.Field{errs.Campo("/id", "no_coincide", "El identificador debe ser el de la cabecera webhook-id.")}
	default:
		return nil
	}
}

func validateInstante(text string) []errs.Field {
	if text == "" {
		return []errs.Field{errs.Campo("/fecha", errores.Requerido, "Indique el instante del evento.")}
	}
	_, ok := manual.ParseInstante(text)
	if !ok {
		return []errs.Field{errs.Campo("/fecha", errores.Formato, "La fecha debe ser un instante RFC 3339, como 2026-01-31T12:00:00Z.")}
	}
	return nil
}

// huellaOf is a keyed hash of an event's content. It goes by what was read, so spaces and
// the order of names make no other event, nor does a field given as null instead of not at
// all.
func (s *Eventos) huellaOf(e EventoFirmado) ([]byte, error) {
	content, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode evento: %w", err)
	}
	return s.Huellas.Huella("evento", string(content)), nil
}
