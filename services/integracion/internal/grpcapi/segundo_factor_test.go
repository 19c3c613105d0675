package grpcapi_test

import (
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
)

// inscribed enrols the operator's second factor as the first login leads to it.
func inscribed(t *testing.T, conn *grpc.ClientConn, token string) (address string, confirmed *integracionv1.ConfirmSegundoFactorResponse) {
	t.Helper()
	cuenta := integracionv1.NewCuentaServiceClient(conn)
	begun, err := cuenta.BeginSegundoFactor(bearer(t, token), &integracionv1.BeginSegundoFactorRequest{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = cuenta.ConfirmSegundoFactor(bearer(t, token), &integracionv1.ConfirmSegundoFactorRequest{Codigo: codeOf(t, begun.GetOtpauthUrl(), time.Now().Add(-time.Hour))})
	wantFields(t, err, "/codigo valor_no_admitido")
	confirmed, err = cuenta.ConfirmSegundoFactor(bearer(t, token), &integracionv1.ConfirmSegundoFactorRequest{Codigo: codeOf(t, begun.GetOtpauthUrl(), time.Now())})
	if err != nil || len(confirmed.GetCodigosRecuperacion()) != 10 {
		t.Fatalf("confirmed %v, %v", confirmed, err)
	}
	return begun.GetOtpauthUrl(), confirmed
}

// Where a second factor is required, the first login leads to its enrolment and to nothing else.
func TestSegundoFactor_isRequired(t *testing.T) {
	t.Parallel()
	s, clave := newOperador(t, integraciontest.Options{SecondFactor: "required"})
	conn := s.Dial()
	token := s.Login(operadora, clave)
	wantMotivo(t, listWith(t, s, token), errores.SinPermiso)
	sesion, err := integracionv1.NewCuentaServiceClient(conn).GetSesion(bearer(t, token), &integracionv1.GetSesionRequest{})
	if err != nil || sesion.GetUsuario() != operadora || !sesion.GetInscripcionPendiente() || sesion.GetSegundoFactor() {
		t.Errorf("session %v, %v", sesion, err)
	}
	_, confirmed := inscribed(t, conn, token)
	err = listWith(t, s, confirmed.GetToken())
	if err != nil {
		t.Errorf("after the enrolment: %v", err)
	}
	_, err = integracionv1.NewCuentaServiceClient(conn).GetSesion(bearer(t, token), &integracionv1.GetSesionRequest{})
	wantMotivo(t, err, errores.CredencialInvalida)
	_, err = login(t, s, clave, "")
	wantMotivo(t, err, errores.CredencialInvalida)
}

// A recovery code serves once in the place of a code, however it is typed.
func TestSegundoFactor_recovery(t *testing.T) {
	t.Parallel()
	s, clave := newOperador(t, integraciontest.Options{LoginMaxFailures: 2})
	_, confirmed := inscribed(t, s.Dial(), s.Login(operadora, clave))
	codigo := confirmed.GetCodigosRecuperacion()[3]
	for i, want := range []errores.Motivo{errores.Interno, errores.CredencialInvalida, errores.CredencialInvalida, errores.DemasiadasSolicitudes} {
		_, err := login(t, s, clave, codigo)
		if i == 0 && err == nil {
			continue
		}
		wantMotivo(t, err, want)
	}
}

// An operator who left gets in no more, and nobody leaves alone.
func TestUsuario_baja(t *testing.T) {
	t.Parallel()
	s, clave := newOperador(t, integraciontest.Options{})
	token := s.Login(operadora, clave)
	usuarios := integracionv1.NewUsuarioServiceClient(s.Dial())
	_, err := usuarios.RemoveUsuario(bearer(t, token), &integracionv1.RemoveUsuarioRequest{Usuario: operadora})
	wantMotivo(t, err, errores.Conflicto)
	made, err := usuarios.CreateUsuario(bearer(t, token), &integracionv1.CreateUsuarioRequest{Usuario: "otra"})
	if err != nil {
		t.Fatal(err)
	}
	other := s.Login("otra", made.GetClave())
	gone, err := usuarios.RemoveUsuario(bearer(t, token), &integracionv1.RemoveUsuarioRequest{Usuario: "otra"})
	if err != nil || gone.GetUsuario().GetEstado() != "baja" || gone.GetUsuario().GetBajaEn() == "" {
		t.Errorf("removed %v, %v", gone, err)
	}
	wantMotivo(t, listWith(t, s, other), errores.CredencialInvalida)
	_, err = integracionv1.NewSesionServiceClient(s.Dial()).Login(t.Context(), &integracionv1.LoginRequest{
		Credenciales: &integracionv1.Credenciales{Usuario: "otra", Clave: made.GetClave()},
	})
	wantMotivo(t, err, errores.CredencialInvalida)
	_, err = usuarios.CreateUsuario(bearer(t, token), &integracionv1.CreateUsuarioRequest{Usuario: "otra"})
	wantMotivo(t, err, errores.Conflicto)
}
