package errs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/enlace-iis/enlace/proto/errores"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

// cross sends err to a peer: as bytes, because that is where invalid text would break.
func cross(t interface{ Fatal(...any) }, err error) error {
	wire, marshalErr := proto.Marshal(ToStatus(err).Proto())
	if marshalErr != nil {
		t.Fatal(marshalErr)
	}
	received := ToStatus(nil).Proto()
	marshalErr = proto.Unmarshal(wire, received)
	if marshalErr != nil {
		t.Fatal(marshalErr)
	}
	return FromStatus(status.ErrorProto(received))
}

func TestGRPC_aRefusalCrossesUnchanged(t *testing.T) {
	fields := rapid.Custom(func(t *rapid.T) Field {
		return Field{
			Indice:  rapid.IntRange(SinIndice, 5000).Draw(t, "indice"),
			Folio:   rapid.String().Draw(t, "folio"),
			Puntero: rapid.String().Draw(t, "puntero"),
			Codigo:  rapid.String().Draw(t, "codigo"),
			Mensaje: rapid.String().Draw(t, "mensaje"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		sent := New(rapid.SampledFrom(errores.Motivos()).Draw(t, "motivo"), rapid.String().Draw(t, "message"))
		sent.RetryAfter = time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "retry after"))
		sent.WithFields(rapid.SliceOf(fields).Draw(t, "fields")...)
		if sent.Motivo == errores.JSONInvalido {
			for i := range sent.Fields {
				sent.Fields[i].Byte = rapid.Int64Range(0, 1<<40).Draw(t, "byte")
			}
		}

		received := cross(t, fmt.Errorf("do something: %w", sent))

		diff := cmp.Diff(error(sent), received, cmpopts.IgnoreUnexported(Error{}), cmpopts.EquateEmpty())
		if diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestToStatus_codes(t *testing.T) {
	tests := []struct {
		err    error
		code   codes.Code
		reason string
	}{
		{nil, codes.OK, ""},
		{New(errores.Validacion, "x"), codes.InvalidArgument, "VALIDACION"},
		{New(errores.CredencialRevocada, "x"), codes.Unauthenticated, "CREDENCIAL_REVOCADA"},
		{New(errores.SinPermiso, "x"), codes.PermissionDenied, "SIN_PERMISO"},
		{New(errores.NoEncontrado, "x"), codes.NotFound, "NO_ENCONTRADO"},
		{New(errores.Conflicto, "x"), codes.AlreadyExists, "CONFLICTO"},
		{New(errores.DemasiadasSolicitudes, "x"), codes.ResourceExhausted, "DEMASIADAS_SOLICITUDES"},
		{New(errores.NoDisponible, "x"), codes.Unavailable, "NO_DISPONIBLE"},
		{errors.New("x"), codes.Internal, "INTERNO"},
		{New(errores.Motivo(999), "x"), codes.Internal, "INTERNO"},
		{context.Canceled, codes.Canceled, ""},
		{fmt.Errorf("read rows: %w", context.Canceled), codes.Canceled, ""},
		{fmt.Errorf("read rows: %w", context.DeadlineExceeded), codes.DeadlineExceeded, "TIEMPO_AGOTADO"},
		{Wrap(context.DeadlineExceeded, errores.NoDisponible, "x"), codes.Unavailable, "NO_DISPONIBLE"},
		{status.Error(codes.NotFound, "a stranger's text"), codes.Internal, "INTERNO"},
		{status.Error(codes.Unavailable, "connection refused"), codes.Unavailable, "NO_DISPONIBLE"},
		{ToStatus(New(errores.Conflicto, "x")).Err(), codes.AlreadyExists, "CONFLICTO"},
		{Wrap(status.Error(codes.NotFound, "x"), errores.Conflicto, "x"), codes.AlreadyExists, "CONFLICTO"},
	}
	for _, tt := range tests {
		got := ToStatus(tt.err)
		if got.Code() != tt.code || reasonIn(got) != tt.reason {
			t.Errorf("%v: %s %q, want %s %q", tt.err, got.Code(), reasonIn(got), tt.code, tt.reason)
		}
	}
}

func TestToStatus_showsNothingOfTheInside(t *testing.T) {
	const secret = "password=hunter2"
	for _, err := range []error{
		errors.New(secret),
		Wrap(errors.New(secret), errores.Validacion, "mensaje"),
		fmt.Errorf("query %s: %w", secret, context.Canceled),
		fmt.Errorf("query %s: %w", secret, context.DeadlineExceeded),
		status.Error(codes.Internal, secret),
		status.Error(codes.Unavailable, secret),
	} {
		sent := fmt.Sprint(ToStatus(err).Proto())
		if strings.Contains(sent, secret) {
			t.Errorf("%T %v leaks: %s", err, err, sent)
		}
	}
}

func TestToStatus_presenceOfOptionalFields(t *testing.T) {
	given := ToStatus(New(errores.JSONInvalido, "x").WithFields(Field{Indice: 0, Folio: "A-1", Byte: 0}))
	field := wireField(t, given)
	if field.Indice == nil || field.Folio == nil || field.Byte == nil {
		t.Errorf("record 0 with folio, byte 0: %v", field)
	}
	absent := ToStatus(New(errores.Validacion, "x").WithFields(Field{Indice: SinIndice, Byte: 7}))
	field = wireField(t, absent)
	if field.Indice != nil || field.Folio != nil || field.Byte != nil {
		t.Errorf("no record, no folio, no unreadable JSON: %v", field)
	}
}

func TestToStatus_textThatIsNotUTF8LosesNoDetail(t *testing.T) {
	sent := New(errores.Validacion, "mal \xff").WithFields(Field{Indice: 3, Folio: "\xfe", Puntero: "/\xff", Codigo: "x", Mensaje: "\xff"})

	received, ok := errors.AsType[*Error](cross(t, sent))

	if !ok || received.Motivo != errores.Validacion || len(received.Fields) != 1 || received.Fields[0].Indice != 3 {
		t.Fatalf("received %#v", received)
	}
	if !utf8.ValidString(received.Message) || !utf8.ValidString(received.Fields[0].Folio) {
		t.Errorf("received %q", received.Message)
	}
}

func TestFromStatus_withoutOurDetails(t *testing.T) {
	tests := []struct {
		code   codes.Code
		motivo errores.Motivo
	}{
		{codes.Unavailable, errores.NoDisponible},
		{codes.DeadlineExceeded, errores.TiempoAgotado},
		{codes.Unauthenticated, errores.Interno},
		{codes.NotFound, errores.Interno},
		{codes.ResourceExhausted, errores.Interno},
		{codes.Unimplemented, errores.Interno},
	}
	for _, tt := range tests {
		err := FromStatus(status.Error(tt.code, "text"))
		if MotivoOf(err) != tt.motivo {
			t.Errorf("%s: %v", tt.code, MotivoOf(err))
		}
		if status.Code(errors.Unwrap(err)) != tt.code {
			t.Errorf("%s: the cause is lost: %v", tt.code, err)
		}
	}
	if err := FromStatus(status.Error(codes.Canceled, "x")); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestFromStatus_detailsOfStrangersAndOfTheFuture(t *testing.T) {
	for name, info := range map[string]*errdetails.ErrorInfo{
		"other domain":   {Domain: "googleapis.com", Reason: "VALIDACION"},
		"unknown reason": {Domain: "enlace", Reason: "SOMETHING_NEW"},
		"unspecified":    {Domain: "enlace", Reason: "UNSPECIFIED"},
	} {
		received, err := status.New(codes.Unavailable, "x").WithDetails(info)
		if err != nil {
			t.Fatal(err)
		}
		if got := MotivoOf(FromStatus(received.Err())); got != errores.NoDisponible {
			t.Errorf("%s: %s, want what the code says", name, got)
		}
	}
}

func TestFromStatus_leavesOtherErrorsAlone(t *testing.T) {
	own := Wrap(status.Error(codes.NotFound, "x"), errores.Conflicto, "x")
	for _, err := range []error{nil, io.EOF, context.Canceled, own} {
		if got := FromStatus(err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}

// reasonIn is empty for a status that is not worded by us.
func reasonIn(s *status.Status) string {
	refusal, ours := errores.Read(s)
	if !ours {
		return ""
	}
	return errores.Reason(refusal.Motivo)
}

func wireField(t *testing.T, s *status.Status) *erroresv1.ErrorDeCampo {
	t.Helper()
	for _, detail := range s.Details() {
		list, ok := detail.(*erroresv1.Errores)
		if ok {
			return list.GetErrores()[0]
		}
	}
	t.Fatal("no fields")
	return nil
}
