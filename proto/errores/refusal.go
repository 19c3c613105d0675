package errores

import (
	"strconv"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

// A Refusal is what a service of Enlace says with a gRPC status besides its code. All of it
// may be shown to a client.
type Refusal struct {
	// Motivo is unspecified when it is newer than this build; then the code decides.
	Motivo     erroresv1.Motivo
	Message    string // Spanish
	Errores    []*erroresv1.ErrorDeCampo
	RetryAfter time.Duration // zero: waiting does not help
	Cuota      *Cuota        // the limit that was passed; nil: none, or not told
}

// Cuota is a limit on how often something may be asked.
type Cuota struct {
	Limite  int           // how many times
	Ventana time.Duration // within how long; whole seconds
}

// domain marks the statuses that carry a Refusal. A status without it was made by gRPC
// itself or by a stranger, and its text is shown to nobody.
const domain = "enlace"

// The keys of a Cuota in the metadata of ErrorInfo.
const (
	metadataCuota   = "cuota"
	metadataVentana = "ventana_s"
)

const motivoPrefix = "MOTIVO_"

// Reason is the name of a Motivo in ErrorInfo: "VALIDACION".
func Reason(motivo erroresv1.Motivo) string {
	return strings.TrimPrefix(motivo.String(), motivoPrefix)
}

// Status puts the refusal on the wire.
func (r Refusal) Status() *status.Status {
	bare := status.New(Code(r.Motivo), ValidText(r.Message))
	detailed, err := bare.WithDetails(r.details()...)
	if err != nil {
		// Only a details message that cannot be marshaled ends here, and ours can.
		return bare
	}
	return detailed
}

// Read is the reverse. It tells whether a service of Enlace worded the status.
func Read(received *status.Status) (Refusal, bool) {
	r := Refusal{Message: received.Message()}
	ours := false
	for _, detail := range received.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.GetDomain() == domain {
				ours = true
				r.Motivo = erroresv1.Motivo(erroresv1.Motivo_value[motivoPrefix+detail.GetReason()])
				r.Cuota = readCuota(detail.GetMetadata())
			}
		case *erroresv1.Errores:
			r.Errores = append(r.Errores, detail.GetErrores()...)
		case *errdetails.RetryInfo:
			r.RetryAfter = detail.GetRetryDelay().AsDuration()
		}
	}
	return r, ours
}

func (r Refusal) details() []protoadapt.MessageV1 {
	details := []protoadapt.MessageV1{
		&errdetails.ErrorInfo{Reason: Reason(r.Motivo), Domain: domain, Metadata: r.Cuota.metadata()},
	}
	if len(r.Errores) > 0 {
		details = append(details, &erroresv1.Errores{Errores: r.Errores})
	}
	if r.RetryAfter > 0 {
		details = append(details, &errdetails.RetryInfo{RetryDelay: durationpb.New(r.RetryAfter)})
	}
	return details
}

func (c *Cuota) metadata() map[string]string {
	if c == nil {
		return nil
	}
	return map[string]string{
		metadataCuota:   strconv.Itoa(c.Limite),
		metadataVentana: strconv.Itoa(int(c.Ventana / time.Second)),
	}
}

// readCuota makes none of nonsense.
func readCuota(metadata map[string]string) *Cuota {
	limite, err := strconv.Atoi(metadata[metadataCuota])
	if err != nil || limite < 1 {
		return nil
	}
	ventana, err := strconv.Atoi(metadata[metadataVentana])
	if err != nil || ventana < 1 {
		return nil
	}
	return &Cuota{Limite: limite, Ventana: time.Duration(ventana) * time.Second}
}

// ValidText keeps a text that is not UTF-8 from costing the client every detail: protobuf
// refuses to marshal one.
func ValidText(text string) string {
	return strings.ToValidUTF8(text, "\uFFFD")
}
