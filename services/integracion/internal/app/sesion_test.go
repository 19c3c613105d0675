package app_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// login tries from an address, as the gateway passes it on.
func login(ctx context.Context, conn grpc.ClientConnInterface, ip string, empresa tenant.EmpresaID, usuario, clave string) (string, error) {
	ctx = metadata.AppendToOutgoingContext(ctx, "x-cliente-ip", ip, "x-gateway-secret", integraciontest.GatewaySecret)
	answer, err := integracionv1.NewSesionServiceClient(conn).Login(ctx, &integracionv1.LoginRequest{
		IdEmpresa:    string(empresa),
		Credenciales: &integracionv1.Credenciales{Usuario: usuario, Clave: clave},
	})
	return answer.GetToken(), err
}

func TestLogin(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{LoginMaxFailures: 100})
	operador := s.CreateUsuario("operador")
	tests := []struct {
		name           string
		empresa        tenant.EmpresaID
		usuario, clave string
		want           errores.Motivo
	}{
		{"platform at the root", "", "PUI", s.claves[empresaA], 0},
		{"platform at the institution", empresaB, "PUI", s.claves[empresaB], 0},
		{"operator", "", "operador", operador, 0},
		{"wrong clave", "", "PUI", "otra", errores.CredencialInvalida},
		{"clave of another institution", empresaA, "PUI", s.claves[empresaB], errores.CredencialInvalida},
		{"unknown user", "", "nadie", operador, errores.CredencialInvalida},
		{"operator with the platform's clave", "", "operador", s.claves[empresaA], errores.CredencialInvalida},
		{"operator at an institution", empresaA, "operador", operador, errores.CredencialInvalida},
		{"unknown institution", "NADA010101AB1", "PUI", s.claves[empresaA], errores.NoEncontrado},
		{"no user", "", "", "otra", errores.Validacion},
		{"no clave", "", "PUI", "", errores.Validacion},
	}
	seen := map[string]bool{}
	for _, tt := range tests {
		for range 2 {
			token, err := login(t.Context(), s.conn, "192.0.2.1", tt.empresa, tt.usuario, tt.clave)
			if (tt.want == 0) != (err == nil) || err != nil && !errs.Is(err, tt.want) || (token != "") != (err == nil) || seen[token] && token != "" {
				t.Errorf("%s: %v, want %v; new token %v", tt.name, err, tt.want, !seen[token])
			}
			seen[token] = true
		}
	}
}

// TestLogin_limits runs on two replicas, which share what was counted.
func TestLogin_limits(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{LoginMaxFailures: 10})
	other := integraciontest.Start(t, integraciontest.Options{LoginMaxFailures: 10, Database: &s.Database}).Dial()
	clave := s.CreateUsuario("operador")
	fail := func(conn grpc.ClientConnInterface, ip string) {
		t.Helper()
		_, err := login(t.Context(), conn, ip, "", "operador", "otra")
		wantMotivo(t, "wrong login from "+ip, err, errores.CredencialInvalida)
	}
	right := func(conn grpc.ClientConnInterface, ip string) error {
		_, err := login(t.Context(), conn, ip, "", "operador", clave)
		return err
	}
	for range 5 {
		fail(s.conn, "192.0.2.1")
		fail(other, "192.0.2.1")
	}
	for name, conn := range map[string]grpc.ClientConnInterface{"here": s.conn, "on the other replica": other} {
		err := right(conn, "192.0.2.1")
		wantMotivo(t, "right login past the address's limit, "+name, err, errores.DemasiadasSolicitudes)
		refusal, _ := errors.AsType[*errs.Error](err)
		if refusal == nil || refusal.RetryAfter <= 0 || refusal.RetryAfter > 15*time.Minute {
			t.Errorf("%s: retry after %+v", name, refusal)
		}
	}
	err := right(s.conn, "192.0.2.2")
	if err != nil {
		t.Errorf("right login from another address: %v", err)
	}
	// At an institution's own address nothing has failed yet, and what fails there counts
	// nowhere else.
	for range 10 {
		_, err = login(t.Context(), s.conn, "192.0.2.1", empresaA, "PUI", "otra")
		wantMotivo(t, "wrong login at A", err, errores.CredencialInvalida)
	}
	_, err = login(t.Context(), other, "192.0.2.1", empresaA, "PUI", s.claves[empresaA])
	wantMotivo(t, "right login at A", err, errores.DemasiadasSolicitudes)
	_, err = login(t.Context(), other, "192.0.2.1", empresaB, "PUI", s.claves[empresaB])
	if err != nil {
		t.Errorf("right login at B: %v", err)
	}
	_, err = login(t.Context(), s.conn, "192.0.2.2", "", "PUI", s.claves[empresaA])
	if err != nil {
		t.Errorf("the platform at the root: %v", err)
	}
}

// TestLogin_aFloodAtOneBase holds that many wrong logins at once cost another base, and the
// root, nothing.
func TestLogin_aFloodAtOneBase(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{LoginMaxFailures: 1000})
	flood, begun := sync.WaitGroup{}, make(chan struct{}, 300)
	for n := range 300 {
		flood.Go(func() {
			begun <- struct{}{}
			_, err := login(t.Context(), s.conn, fmt.Sprintf("192.0.2.%d", n%250), empresaA, "PUI", "otra")
			if !errs.Is(err, errores.CredencialInvalida) && !errs.Is(err, errores.NoDisponible) {
				t.Errorf("wrong login: %v", err)
			}
		})
	}
	for range 300 {
		<-begun
	}
	for _, empresa := range []tenant.EmpresaID{empresaB, ""} {
		_, err := login(t.Context(), s.conn, "198.51.100.1", empresa, "PUI", s.claves[empresaB])
		if err != nil {
			t.Errorf("right login at %q: %v", empresa, err)
		}
	}
	flood.Wait()
}

func TestLogin_addressIsTakenFromTheGatewayOnly(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{LoginMaxFailures: 1})
	for _, told := range []string{"2001:db8:1:2::1", "2001:db8:1:2:ffff::9"} {
		_, err := login(t.Context(), s.conn, told, "", "nadie", "otra")
		if told == "2001:db8:1:2::1" {
			wantMotivo(t, "first", err, errores.CredencialInvalida)
			continue
		}
		// One IPv6 host owns all of its network.
		wantMotivo(t, "same network", err, errores.DemasiadasSolicitudes)
	}
	_, err := login(t.Context(), s.conn, "no address", "", "nadie", "otra")
	wantMotivo(t, "nonsense counts as the caller itself", err, errores.CredencialInvalida)
	_, err = login(t.Context(), s.conn, "127.0.0.1", "", "otro", "otra")
	wantMotivo(t, "the caller itself", err, errores.DemasiadasSolicitudes)
	// Beside the gateway, on its network: no one's login fails for what it makes up.
	for _, secret := range []string{"", "gateway-secret-of-nobody-of-32-bytes"} {
		forged := metadata.AppendToOutgoingContext(t.Context(), "x-cliente-ip", "198.51.100.7", "x-gateway-secret", secret)
		_, err = integracionv1.NewSesionServiceClient(s.conn).Login(forged, &integracionv1.LoginRequest{
			Credenciales: &integracionv1.Credenciales{Usuario: "otro", Clave: "otra"},
		})
		wantMotivo(t, "who is no gateway counts as the caller itself", err, errores.DemasiadasSolicitudes)
	}
	_, err = login(t.Context(), s.conn, "198.51.100.7", "", "nadie", "otra")
	wantMotivo(t, "the address that was made up", err, errores.CredencialInvalida)
}

func TestTokens_endWithWhatTheyStandFor(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	prueba := func(token string) error {
		_, err := s.reportes().ActivateReportePrueba(withToken(t.Context(), token),
			&integracionv1.ActivateReportePruebaRequest{Activacion: activacion()})
		return err
	}
	if err := prueba(s.tokens[empresaA]); err != nil {
		t.Fatalf("good token: %v", err)
	}
	renewed := s.SetClaveEntrada(empresaA)
	wantMotivo(t, "after a new clave", prueba(s.tokens[empresaA]), errores.CredencialInvalida)
	_, err := login(t.Context(), s.conn, "192.0.2.1", "", "PUI", s.claves[empresaA])
	wantMotivo(t, "login with the old clave", err, errores.CredencialInvalida)
	if err := prueba(s.Login("PUI", renewed)); err != nil {
		t.Errorf("new token: %v", err)
	}

	s.SuspendEmpresa(empresaB)
	wantMotivo(t, "suspended", prueba(s.tokens[empresaB]), errores.CredencialInvalida)
	_, err = login(t.Context(), s.conn, "192.0.2.1", "", "PUI", s.claves[empresaB])
	wantMotivo(t, "login while suspended", err, errores.CredencialInvalida)
}
