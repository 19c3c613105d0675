package errs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

// domain marks the statuses that carry a Motivo. A status without it was made by gRPC
// itself or by a stranger, and its text is shown to nobody.
const domain = "enlace"

// What a client reads when the reason is ours and the details are not for it.
const (
	messageInterno       = "Ocurrió una falla interna. Repita la solicitud; si la falla persiste, informe su request_id."
	messageNoDisponible  = "El servicio no está disponible por el momento. Repita la solicitud más tarde."
	messageTiempoAgotado = "La solicitud no se completó dentro de su plazo. Puede repetirla."
	messageCancelada     = "La solicitud fue cancelada por quien la hizo."
)

// grpcCodes gives each reason its gRPC code. Clients should read the reason; the code is
// for the tools that know gRPC alone: retries, health, dashboards.
var grpcCodes = map[Motivo]codes.Code{
	JSONInvalido: codes.InvalidArgument,
	erroresv1.Motivo_MOTIVO_PARAMETRO_NO_ADMITIDO:   codes.InvalidArgument,
	erroresv1.Motivo_MOTIVO_TIPO_NO_ADMITIDO:        codes.InvalidArgument,
	erroresv1.Motivo_MOTIVO_CUERPO_DEMASIADO_GRANDE: codes.InvalidArgument,
	LoteVacio:          codes.InvalidArgument,
	LoteExcedido:       codes.InvalidArgument,
	Validacion:         codes.InvalidArgument,
	CredencialAusente:  codes.Unauthenticated,
	CredencialInvalida: codes.Unauthenticated,
	CredencialRevocada: codes.Unauthenticated,
	CredencialCaducada: codes.Unauthenticated,
	SinPermiso:         codes.PermissionDenied,
	NoEncontrado:       codes.NotFound,
	erroresv1.Motivo_MOTIVO_METODO_NO_PERMITIDO: codes.Unimplemented,
	Conflicto:             codes.AlreadyExists,
	DemasiadasSolicitudes: codes.ResourceExhausted,
	Interno:               codes.Internal,
	NoDisponible:          codes.Unavailable,
	TiempoAgotado:         codes.DeadlineExceeded,
}

// Codigo is the reason as clients read it in HTTP, and as logs and metrics show it: lower
// case, without prefix.
func Codigo(motivo Motivo) string {
	return strings.ToLower(reason(motivo))
}

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
		return New(TiempoAgotado, messageTiempoAgotado).status()
	default:
		return New(Interno, messageInterno).status()
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
		return Wrap(err, NoDisponible, messageNoDisponible)
	case codes.DeadlineExceeded:
		return Wrap(err, TiempoAgotado, messageTiempoAgotado)
	case codes.Canceled:
		return context.Canceled
	default:
		return fmt.Errorf("call peer: %w", err)
	}
}

func (e *Error) status() *status.Status {
	code, known := grpcCodes[e.Motivo]
	if !known {
		return New(Interno, messageInterno).status()
	}
	bare := status.New(code, validText(e.Message))
	detailed, err := bare.WithDetails(e.details()...)
	if err != nil {
		// Only a details message that cannot be marshaled ends here, and ours can.
		return bare
	}
	return detailed
}

func (e *Error) details() []protoadapt.MessageV1 {
	details := []protoadapt.MessageV1{
		&errdetails.ErrorInfo{Reason: reason(e.Motivo), Domain: domain, Metadata: e.Cuota.metadata()},
	}
	if len(e.Fields) > 0 {
		details = append(details, &erroresv1.Errores{Errores: e.wireFields()})
	}
	if e.RetryAfter > 0 {
		details = append(details, &errdetails.RetryInfo{RetryDelay: durationpb.New(e.RetryAfter)})
	}
	return details
}

// The keys of a Cuota in the metadata of ErrorInfo.
const (
	metadataCuota   = "cuota"
	metadataVentana = "ventana_s"
)

func (c *Cuota) metadata() map[string]string {
	if c == nil {
		return nil
	}
	return map[string]string{
		metadataCuota:   strconv.Itoa(c.Limite),
		metadataVentana: strconv.Itoa(int(c.Ventana / time.Second)),
	}
}

func cuotaFromWire(metadata map[string]string) *Cuota {
	limite, err := strconv.Atoi(metadata[metadataCuota])
	if err != nil {
		return nil
	}
	ventana, err := strconv.Atoi(metadata[metadataVentana])
	if err != nil {
		return nil
	}
	return &Cuota{Limite: limite, Ventana: time.Duration(ventana) * time.Second}
}

func (e *Error) wireFields() []*erroresv1.ErrorDeCampo {
	wire := make([]*erroresv1.ErrorDeCampo, len(e.Fields))
	for i, field := range e.Fields {
		wire[i] = &erroresv1.ErrorDeCampo{
			Puntero: validText(field.Puntero),
			Codigo:  validText(field.Codigo),
			Mensaje: validText(field.Mensaje),
		}
		if field.Indice >= 0 {
			wire[i].Indice = new(int32(field.Indice))
		}
		if field.Folio != "" {
			wire[i].Folio = new(validText(field.Folio))
		}
		if e.Motivo == JSONInvalido {
			wire[i].Byte = new(field.Byte)
		}
	}
	return wire
}

// fromDetails rebuilds a refusal. A reason that this build does not know yet counts as
// none, so that the code decides.
func fromDetails(received *status.Status) (*Error, bool) {
	refusal := &Error{Message: received.Message()}
	for _, detail := range received.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.GetDomain() == domain {
				refusal.Motivo = Motivo(erroresv1.Motivo_value[motivoPrefix+detail.GetReason()])
				refusal.Cuota = cuotaFromWire(detail.GetMetadata())
			}
		case *erroresv1.Errores:
			refusal.Fields = fieldsFromWire(detail.GetErrores())
		case *errdetails.RetryInfo:
			refusal.RetryAfter = detail.GetRetryDelay().AsDuration()
		}
	}
	return refusal, refusal.Motivo != erroresv1.Motivo_MOTIVO_UNSPECIFIED
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

const motivoPrefix = "MOTIVO_"

func reason(motivo Motivo) string {
	return strings.TrimPrefix(motivo.String(), motivoPrefix)
}

// validText keeps a text that is not UTF-8 from costing the client every detail: protobuf
// refuses to marshal one.
func validText(text string) string {
	return strings.ToValidUTF8(text, "\uFFFD")
}
