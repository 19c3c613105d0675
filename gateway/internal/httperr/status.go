package httperr

import (
	"errors"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

// domain is what ErrorInfo carries when one of our services worded the status.
const domain = "enlace"

// What a service may add to the ErrorInfo of a DEMASIADAS_SOLICITUDES.
const (
	metadataCuota   = "cuota"     // how many requests
	metadataVentana = "ventana_s" // within how many seconds
)

// FromError gives the answer to whatever a call to a service returned, or to an *Error of
// the edge itself.
func FromError(err error) *Error {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal
	}
	st := statusOf(err)
	info := infoOf(st)
	if info == nil {
		return fromForeign(st.Code())
	}
	motivo, ok := motivoOf(info.GetReason())
	if !ok {
		motivo = fallback(st.Code())
	}
	if motivo == Interno {
		return Internal()
	}
	refusal = New(motivo, st.Message())
	refusal.addDetails(st)
	if motivo == DemasiadasSolicitudes {
		refusal.Quota = quotaOf(info)
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

func infoOf(st *status.Status) *errdetails.ErrorInfo {
	for _, detail := range st.Details() {
		info, ok := detail.(*errdetails.ErrorInfo)
		if ok && info.GetDomain() == domain {
			return info
		}
	}
	return nil
}

func (e *Error) addDetails(st *status.Status) {
	for _, detail := range st.Details() {
		switch detail := detail.(type) {
		case *erroresv1.Errores:
			e.Errores = append(e.Errores, detail.GetErrores()...)
		case *errdetails.RetryInfo:
			e.RetryAfter = detail.GetRetryDelay().AsDuration()
		}
	}
}

func quotaOf(info *errdetails.ErrorInfo) *Quota {
	limit, err := strconv.Atoi(info.GetMetadata()[metadataCuota])
	if err != nil || limit < 1 {
		return nil
	}
	window, err := strconv.Atoi(info.GetMetadata()[metadataVentana])
	if err != nil || window < 1 {
		return nil
	}
	return &Quota{Name: "credencial", Limit: limit, Window: time.Duration(window) * time.Second}
}
