package grpcapi_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/enlace-iis/enlace/proto/errores"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	opcionesv1 "github.com/enlace-iis/enlace/proto/gen/enlace/opciones/v1"
	"github.com/enlace-iis/enlace/proto/opciones"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// A token that was found or stolen replaces no factor, no clave, no key and no operator: each RPC that
// could asks for a recent login, by gRPC and at the gateway's question alike.
func TestReciente_anOldTokenIsNotTheAccount(t *testing.T) {
	t.Parallel()
	s, clave := newOperador(t, integraciontest.Options{})
	conn := s.Dial()
	old, fresh := s.OldToken(operadora, auth.MaxRecent+time.Second), s.Login(operadora, clave)
	all, err := opciones.Todos()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, m := range all {
		if !slices.Contains(m.Acceso.GetRoles(), opcionesv1.Rol_ROL_OPERADOR) {
			continue
		}
		want := errores.Motivo(0)
		if m.GetReciente() {
			want, asked = errores.SesionAntigua, asked+1
			err := conn.Invoke(bearer(t, old), m.RPC, dynamicpb.NewMessage(m.Descriptor.Input()), &emptypb.Empty{})
			if !errs.Is(errs.FromStatus(err), want) {
				t.Errorf("%s: got %v, want %s", m.RPC, err, want)
			}
		}
		for token, want := range map[string]errores.Motivo{old: want, fresh: 0} {
			_, err := accesov1.NewAccesoServiceClient(conn).CheckAcceso(bearer(t, token), &accesov1.CheckAccesoRequest{Rpc: m.RPC})
			if got := motivoOrNone(err); got != want {
				t.Errorf("the gateway's question about %s: got %s, want %s", m.RPC, got, want)
			}
		}
	}
	if asked == 0 {
		t.Error("no RPC asks for a recent login")
	}
}

func motivoOrNone(err error) errores.Motivo {
	if err == nil {
		return 0
	}
	return errs.MotivoOf(errs.FromStatus(err))
}

// The token that ends an enrolment is of the login that began it: enrolling again and again makes no
// token a recent one.
func TestReciente_anEnrolmentIsNoLogin(t *testing.T) {
	t.Parallel()
	s, _ := newOperador(t, integraciontest.Options{})
	before := s.OldToken(operadora, auth.MaxRecent-time.Minute)
	_, confirmed := inscribed(t, s.Dial(), before)
	if got, want := loginOf(t, confirmed.GetToken()), loginOf(t, before); !got.Equal(want) {
		t.Errorf("the token is of a login at %v, want %v", got, want)
	}
}

func loginOf(t *testing.T, token string) time.Time {
	t.Helper()
	var claims jwt.RegisteredClaims
	_, _, err := jwt.NewParser().ParseUnverified(token, &claims)
	if err != nil {
		t.Fatal(err)
	}
	return claims.IssuedAt.Time
}

// A session that is closed at one replica is closed at each, at once; the operator's others go on.
func TestCloseSesion_onEveryReplica(t *testing.T) {
	t.Parallel()
	s, clave := newOperador(t, integraciontest.Options{})
	replica := integraciontest.Start(t, integraciontest.Options{Database: &s.Database})
	closed, other := s.Login(operadora, clave), s.Login(operadora, clave)
	for _, at := range []*integraciontest.Servicio{s, replica} {
		if err := listWith(t, at, closed); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := integracionv1.NewCuentaServiceClient(s.Dial()).CloseSesion(bearer(t, closed), &integracionv1.CloseSesionRequest{})
	if err != nil || answer.GetUsuario() != operadora {
		t.Fatalf("got %v, %v, want %s", answer, err, operadora)
	}
	for name, at := range map[string]*integraciontest.Servicio{"the same": s, "the other": replica} {
		wantMotivo(t, listWith(t, at, closed), errores.CredencialInvalida)
		if err := listWith(t, at, other); err != nil {
			t.Errorf("another session at %s replica: %v", name, err)
		}
	}
	_, err = integracionv1.NewCuentaServiceClient(replica.Dial()).CloseSesion(bearer(t, closed), &integracionv1.CloseSesionRequest{})
	wantMotivo(t, err, errores.CredencialInvalida)
}

// Who resets another operator cannot do it unseen: it is told to that one, and to all for a week.
func TestRestablecimientos_areTold(t *testing.T) {
	t.Parallel()
	s, clave := newOperador(t, integraciontest.Options{})
	conn := s.Dial()
	as, usuarios := bearer(t, s.Login(operadora, clave)), integracionv1.NewUsuarioServiceClient(conn)
	made, err := usuarios.CreateUsuario(as, &integracionv1.CreateUsuarioRequest{Usuario: "otra"})
	if err != nil {
		t.Fatal(err)
	}
	own := func(token string) []*integracionv1.Restablecimiento {
		sesion, err := integracionv1.NewCuentaServiceClient(conn).GetSesion(bearer(t, token), &integracionv1.GetSesionRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return sesion.GetRestablecimientos()
	}
	if told := own(s.Login("otra", made.GetClave())); len(told) != 0 {
		t.Errorf("before: got %v, want none", told)
	}
	changed, err := usuarios.ChangeClave(as, &integracionv1.ChangeClaveRequest{Usuario: "otra"})
	if err != nil {
		t.Fatal(err)
	}
	resumen := func(ctx context.Context, conn grpc.ClientConnInterface) []*integracionv1.Restablecimiento {
		answer, err := integracionv1.NewSeguimientoServiceClient(conn).GetResumen(ctx, &integracionv1.GetResumenRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return answer.GetRestablecimientos()
	}
	for name, told := range map[string][]*integracionv1.Restablecimiento{
		"the operator": own(s.Login("otra", changed.GetClave())), "the summary": resumen(as, conn),
	} {
		if len(told) != 1 || told[0].GetUsuario() != "otra" || told[0].GetQue() != "clave" || told[0].GetPor() != operadora || told[0].GetOcurridoEn() == "" {
			t.Errorf("%s: got %v, want the clave of otra by %s", name, told, operadora)
		}
	}
	if told := own(s.Login(operadora, clave)); len(told) != 0 {
		t.Errorf("who did it: got %v, want none", told)
	}
}
