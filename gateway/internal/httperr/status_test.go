package httperr

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
	if got.Motivo != Validacion || got.Detail != "2 de 3 registros tienen errores." {
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
	if got.Motivo != DemasiadasSolicitudes || got.RetryAfter != 90*time.Second || got.Quota == nil || *got.Quota != want {
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
		want Motivo
	}{
		{codes.Unauthenticated, CredencialInvalida},
		{codes.PermissionDenied, SinPermiso},
		{codes.NotFound, NoEncontrado},
		{codes.AlreadyExists, Conflicto},
		{codes.Aborted, Conflicto},
		{codes.InvalidArgument, Validacion},
		{codes.FailedPrecondition, Validacion},
		{codes.OutOfRange, Validacion},
		{codes.ResourceExhausted, DemasiadasSolicitudes},
		{codes.Unavailable, NoDisponible},
		{codes.DeadlineExceeded, TiempoAgotado},
		{codes.Unknown, Interno},
		{codes.DataLoss, Interno},
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
		want Motivo
	}{
		{"unavailable", status.Error(codes.Unavailable, secret), NoDisponible},
		{"deadline", status.Error(codes.DeadlineExceeded, secret), TiempoAgotado},
		{"cancelled by the service", status.Error(codes.Canceled, secret), NoDisponible},
		{"too large for gRPC", status.Error(codes.ResourceExhausted, secret), CuerpoDemasiadoGrande},
		{"unknown", status.Error(codes.Unknown, secret), Interno},
		{"invalid argument", status.Error(codes.InvalidArgument, secret), Interno},
		{"unauthenticated", status.Error(codes.Unauthenticated, secret), Interno},
		{"unimplemented", status.Error(codes.Unimplemented, secret), Interno},
		{"no status", errors.New(secret), Interno},
		{"ours, internal", statusWith(t, codes.Internal, secret, ours("INTERNO", nil)), Interno},
		{"of another domain", statusWith(t, codes.NotFound, secret,
			&errdetails.ErrorInfo{Domain: "otro", Reason: "NO_ENCONTRADO"}), Interno},
		{"context", status.FromContextError(context.DeadlineExceeded).Err(), TiempoAgotado},
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
	refusal := New(NoEncontrado, "No existe.")
	if got := FromError(fmt.Errorf("route: %w", refusal)); got != refusal {
		t.Errorf("got %v", got)
	}
}
