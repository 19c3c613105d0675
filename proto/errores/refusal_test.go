package errores

import (
	"reflect"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

func TestRefusal_crossesUnchanged(t *testing.T) {
	for _, sent := range []Refusal{
		{Motivo: erroresv1.Motivo_MOTIVO_VALIDACION, Message: "2 de 3 registros tienen errores."},
		{
			Motivo: erroresv1.Motivo_MOTIVO_DEMASIADAS_SOLICITUDES, Message: "Demasiados intentos.",
			RetryAfter: 90 * time.Second, Cuota: &Cuota{Limite: 10, Ventana: 15 * time.Minute},
		},
	} {
		st := sent.Status()
		received, ours := Read(st)
		if !ours || st.Code() != Code(sent.Motivo) || !reflect.DeepEqual(received, sent) {
			t.Errorf("sent %+v, received %+v", sent, received)
		}
	}
}

func TestRead_whoseItIs(t *testing.T) {
	for name, tt := range map[string]struct {
		info *errdetails.ErrorInfo
		want erroresv1.Motivo
		ours bool
	}{
		"ours":           {&errdetails.ErrorInfo{Domain: "enlace", Reason: "SIN_PERMISO"}, erroresv1.Motivo_MOTIVO_SIN_PERMISO, true},
		"ours, newer":    {&errdetails.ErrorInfo{Domain: "enlace", Reason: "SOMETHING_NEW"}, 0, true},
		"a stranger's":   {&errdetails.ErrorInfo{Domain: "example.com", Reason: "SIN_PERMISO"}, 0, false},
		"without domain": {&errdetails.ErrorInfo{Reason: "SIN_PERMISO"}, 0, false},
	} {
		st, err := status.New(codes.PermissionDenied, "x").WithDetails(tt.info)
		if err != nil {
			t.Fatal(err)
		}
		got, ours := Read(st)
		if got.Motivo != tt.want || ours != tt.ours {
			t.Errorf("%s: %v, ours %v", name, got.Motivo, ours)
		}
	}
	if _, ours := Read(status.New(codes.Unavailable, "connection refused")); ours {
		t.Error("a bare status was taken for ours")
	}
}

func TestRead_makesNoCuotaOfNonsense(t *testing.T) {
	for _, metadata := range []map[string]string{
		nil, {"cuota": "10"}, {"ventana_s": "900"}, {"cuota": "-1", "ventana_s": "900"}, {"cuota": "10", "ventana_s": "x"},
	} {
		st, err := status.New(codes.ResourceExhausted, "x").WithDetails(&errdetails.ErrorInfo{
			Domain: "enlace", Reason: "DEMASIADAS_SOLICITUDES", Metadata: metadata,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := Read(st); got.Cuota != nil {
			t.Errorf("%v: %v", metadata, got.Cuota)
		}
	}
}
