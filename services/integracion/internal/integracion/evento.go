package integracion

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// EventoFirmado is an event as an institution's system sends it (contract, section 5), read
// but not validated.
type EventoFirmado struct {
	ID    string            `json:"id"`
	Tipo  TipoEvento        `json:"tipo"`
	Fecha string            `json:"fecha"`
	Datos *RegistroRecibido `json:"datos"`
}

// TipoEvento is what an event tells. The constraint eventos_tipo_check lists the same.
type TipoEvento string

// The kinds of event. Both are saved alike: the folio tells what is new.
const (
	RegistroCreado      TipoEvento = "registro.creado"
	RegistroActualizado TipoEvento = "registro.actualizado"
)

// RegistroRecibido is the record of an event, as text that registros has yet to validate.
// The names are the contract's, and those of the column `registro`.
type RegistroRecibido struct {
	Folio                  string    `json:"folio,omitzero"`
	CURP                   string    `json:"curp,omitzero"`
	TipoEvento             string    `json:"tipo_evento,omitzero"`
	FechaEvento            string    `json:"fecha_evento,omitzero"`
	DescripcionLugarEvento string    `json:"descripcion_lugar_evento,omitzero"`
	DireccionEvento        Direccion `json:"direccion_evento,omitzero"`
	Nombre                 string    `json:"nombre,omitzero"`
	PrimerApellido         string    `json:"primer_apellido,omitzero"`
	SegundoApellido        string    `json:"segundo_apellido,omitzero"`
	FechaNacimiento        string    `json:"fecha_nacimiento,omitzero"`
	LugarNacimiento        string    `json:"lugar_nacimiento,omitzero"`
	SexoAsignado           string    `json:"sexo_asignado,omitzero"`
	Telefono               string    `json:"telefono,omitzero"`
	Correo                 string    `json:"correo,omitzero"`
	Domicilio              Direccion `json:"domicilio,omitzero"`
}

// EstadoEvento is where an event stands:
//
//	recibido ──► procesado
//	         └─► rechazado ──► recibido   (sent again with the same id, mended)
//
// The constraint eventos_estado_check lists the same states.
type EstadoEvento string

// The states of an event. A rejected one was answered with 422 and holds no record, only
// what was wrong with it, so its id is free for the mended event.
const (
	EventoRecibidoAun EstadoEvento = "recibido"
	EventoProcesado   EstadoEvento = "procesado"
	EventoRechazado   EstadoEvento = "rechazado"
)

// EventoRecibido is an event as it is kept. Its record is kept only until registros has it.
type EventoRecibido struct {
	EmpresaID tenant.EmpresaID
	ID        string
	KeyID     string     // the key that it came with
	Tipo      TipoEvento // empty if it was none
	Fecha     time.Time  // zero if it was none
	Folio     string     // empty if it was none
	// Huella tells contents apart without keeping them.
	Huella        []byte
	Registro      RegistroRecibido // only while EventoRecibidoAun
	Estado        EstadoEvento
	Errores       []errs.Field // of a rejected one
	Coincidencias int          // found when it was processed
	RecibidoEn    time.Time
	DecididoEn    time.Time // zero while EventoRecibidoAun
}

// EventoStore keeps events, known by institution and id. A missing one is NoEncontrado.
type EventoStore interface {
	GetEvento(ctx context.Context, empresa tenant.EmpresaID, id string) (EventoRecibido, error)
	// AcceptEvento stores an event and the job that processes it, in one transaction, unless
	// an accepted one has its id; then it gives that one and false. The job of an event
	// whose folio is waiting already starts when that one is finished: in the order of
	// arrival, so that an older content never replaces a newer one.
	AcceptEvento(ctx context.Context, e EventoRecibido) (stored EventoRecibido, isNew bool, err error)
	// RejectEvento keeps what was wrong, unless an accepted one has its id.
	RejectEvento(ctx context.Context, e EventoRecibido) error
	// FinishEvento takes the result of processing an event that is waiting, and starts the
	// next one with its folio.
	FinishEvento(ctx context.Context, e EventoRecibido) error
}

const maxEventoID = 100

// received validates everything but the record, and gives the event as it would be kept.
func (e EventoFirmado) received(empresa tenant.EmpresaID, keyID, webhookID string) (EventoRecibido, []errs.Field) {
	received := EventoRecibido{EmpresaID: empresa, ID: e.ID, KeyID: keyID, Estado: EventoRecibidoAun}
	fields := validateEventoID(e.ID, webhookID)
	switch e.Tipo {
	case RegistroCreado, RegistroActualizado:
		received.Tipo = e.Tipo
	case "":
		fields = append(fields, campo("/tipo", "requerido", "Indique el tipo del evento."))
	default:
		fields = append(fields, campo("/tipo", "valor_no_admitido", "El tipo debe ser registro.creado o registro.actualizado."))
	}
	fecha, problem := parseInstante(e.Fecha)
	received.Fecha = fecha
	fields = append(fields, problem...)
	if e.Datos == nil {
		return received, append(fields, campo("/datos", "requerido", "Incluya el registro."))
	}
	received.Registro = *e.Datos
	received.Folio = folioOf(*e.Datos)
	return received, fields
}

func validateEventoID(id, webhookID string) []errs.Field {
	switch {
	case id == "":
		return []errs.Field{campo("/id", "requerido", "Indique el identificador del evento.")}
	case len([]rune(id)) > maxEventoID:
		return []errs.Field{campo("/id", "longitud", fmt.Sprintf("El identificador debe tener entre 1 y %d caracteres.", maxEventoID))}
	case manual.HasControl(id):
		return []errs.Field{campo("/id", "caracter_no_permitido", "El identificador no admite caracteres de control.")}
	case id != webhookID:
		return []errs.Field{campo("/id", "no_coincide", "El identificador debe ser el de la cabecera webhook-id.")}
	default:
		return nil
	}
}

func parseInstante(text string) (time.Time, []errs.Field) {
	if text == "" {
		return time.Time{}, []errs.Field{campo("/fecha", "requerido", "Indique el instante del evento.")}
	}
	at, ok := ParseInstante(text)
	if !ok {
		return time.Time{}, []errs.Field{campo("/fecha", "formato", "La fecha debe ser un instante RFC 3339, como 2026-01-31T12:00:00Z.")}
	}
	return at, nil
}

const maxFolio = 64

// folioOf is the record's folio as registros will know it, or empty if it is none.
func folioOf(r RegistroRecibido) string {
	folio := manual.NormalizeTexto(r.Folio)
	if len([]rune(folio)) > maxFolio || manual.HasControl(folio) {
		return ""
	}
	return folio
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
