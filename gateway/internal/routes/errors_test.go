package routes

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/enlace-iis/enlace/proto/errores"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

func statusWith(t *testing.T, code codes.Code, message string, details ...protoadapt.MessageV1) error {
	t.Helper()
	st, err := status.New(code, message).WithDetails(details...)
	if err != nil {
		t.Fatal(err)
	}
	return st.Err()
}

func ours(reason string, metadata map[string]string) *errdetails.ErrorInfo {
	return &errdetails.ErrorInfo{Domain: "enlace", Reason: reason, Metadata: metadata}
}

func TestFromError_ours(t *testing.T) {
	entry := &erroresv1.ErrorDeCampo{Puntero: "/registros/1/curp", Codigo: "formato", Mensaje: "Corrija la CURP."}
	err := statusWith(t, codes.InvalidArgument, "2 de 3 registros tienen errores.", ours("VALIDACION", nil),
		&erroresv1.Errores{Errores: []*erroresv1.ErrorDeCampo{entry}})

	got := FromError(fmt.Errorf("call: %w", err))
	if got.Motivo != errores.Validacion || got.Detail != "2 de 3 registros tienen errores." {
		t.Errorf("got %v %q", got.Motivo, got.Detail)
	}
	if len(got.Errores) != 1 || got.Errores[0].GetPuntero() != entry.GetPuntero() {
		t.Errorf("got entries %v", got.Errores)
	}
}

func TestFromError_retryAndQuota(t *testing.T) {
	wait := &errdetails.RetryInfo{RetryDelay: durationpb.New(90 * time.Second)}
	err := statusWith(t, codes.ResourceExhausted, "Demasiados intentos.",
		ours("DEMASIADAS_SOLICITUDES", map[string]string{"cuota": "10", "ventana_s": "900"}), wait)
	got := FromError(err)
	want := Quota{Name: "credencial", Limit: 10, Window: 15 * time.Minute}
	if got.Motivo != errores.DemasiadasSolicitudes || got.RetryAfter != 90*time.Second || got.Quota == nil || *got.Quota != want {
		t.Errorf("got %v after %v, quota %v", got.Motivo, got.RetryAfter, got.Quota)
	}

	err = statusWith(t, codes.ResourceExhausted, "Demasiados intentos.",
		ours("DEMASIADAS_SOLICITUDES", map[string]string{"cuota": "-1", "ventana_s": "x"}))
	if got := FromError(err); got.Quota != nil {
		t.Errorf("a quota was made of nonsense: %v", got.Quota)
	}
}

func TestFromError_reasonOfALaterVersion(t *testing.T) {
	tests := []struct {
		code codes.Code
		want errores.Motivo
	}{
		{codes.Unauthenticated, errores.CredencialInvalida},
		{codes.PermissionDenied, errores.SinPermiso},
		{codes.NotFound, errores.NoEncontrado},
		{codes.AlreadyExists, errores.Conflicto},
		{codes.Aborted, errores.Conflicto},
		{codes.InvalidArgument, errores.Validacion},
		{codes.FailedPrecondition, errores.Validacion},
		{codes.OutOfRange, errores.Validacion},
		{codes.ResourceExhausted, errores.DemasiadasSolicitudes},
		{codes.Unavailable, errores.NoDisponible},
		{codes.DeadlineExceeded, errores.TiempoAgotado},
		{codes.Unknown, errores.Interno},
		{codes.DataLoss, errores.Interno},
	}
	for _, tt := range tests {
		for _, reason := range []string{"MOTIVO_DE_MANANIANA", "UNSPECIFIED", ""} {
			got := FromError(statusWith(t, tt.code, "texto", ours(reason, nil)))
			if got.Motivo != tt.want {
				t.Errorf("%v with reason %q: got %v, want %v", tt.code, reason, got.Motivo, tt.want)
			}
		}
	}
}

func TestFromError_foreignTextNeverShows(t *testing.T) {
	const secret = "pq: relation \"casos\" does not exist"
	tests := []struct {
		name string
		err  error
		want errores.Motivo
	}{
		{"unavailable", status.Error(codes.Unavailable, secret), errores.NoDisponible},
		{"deadline", status.Error(codes.DeadlineExceeded, secret), errores.TiempoAgotado},
		{"cancelled by the service", status.Error(codes.Canceled, secret), errores.NoDisponible},
		{"too large for gRPC", status.Error(codes.ResourceExhausted, secret), errores.CuerpoDemasiadoGrande},
		{"unknown", status.Error(codes.Unknown, secret), errores.Interno},
		{"invalid argument", status.Error(codes.InvalidArgument, secret), errores.Interno},
		{"unauthenticated", status.Error(codes.Unauthenticated, secret), errores.Interno},
		{"unimplemented", status.Error(codes.Unimplemented, secret), errores.Interno},
		{"no status", errors.New(secret), errores.Interno},
		{"ours, internal", statusWith(t, codes.Internal, secret, ours("INTERNO", nil)), errores.Interno},
		{"of another domain", statusWith(t, codes.NotFound, secret,
			&errdetails.ErrorInfo{Domain: "otro", Reason: "NO_ENCONTRADO"}), errores.Interno},
		{"context", status.FromContextError(context.DeadlineExceeded).Err(), errores.TiempoAgotado},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := FromError(tt.err)
			if got.Motivo != tt.want {
				t.Errorf("got %v, want %v", got.Motivo, tt.want)
			}
			if got.Detail == "" || got.Detail == secret {
				t.Errorf("detail %q", got.Detail)
			}
		})
	}
}

func TestFromError_ofTheEdge(t *testing.T) {
	refusal := NewError(errores.NoEncontrado, "No existe.")
	if got := FromError(fmt.Errorf("route: %w", refusal)); got != refusal {
		t.Errorf("got %v", got)
	}
}
