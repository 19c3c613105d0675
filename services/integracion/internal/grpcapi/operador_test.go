package grpcapi_test

import (
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

const operadora = "operadora"

// login logs in at the root; an empty codigo is none.
func login(t *testing.T, f *integraciontest.Servicio, clave, codigo string) (string, error) {
	t.Helper()
	answer, err := integracionv1.NewSesionServiceClient(f.Dial()).Login(t.Context(), &integracionv1.LoginRequest{
		Credenciales: &integracionv1.Credenciales{Usuario: operadora, Clave: clave, Codigo: codigo},
	})
	return answer.GetToken(), err
}

// listWith asks for an institution's keys with a token.
func listWith(t *testing.T, f *integraciontest.Servicio, token string) error {
	t.Helper()
	stream, err := integracionv1.NewApiKeyServiceClient(f.Dial()).
		ListApiKeys(bearer(t, token), &integracionv1.ListApiKeysRequest{IdEmpresa: empresa})
	if err != nil {
		return err
	}
	_, err = stream.Recv()
	return err
}

func newOperador(t *testing.T, options integraciontest.Options) (*integraciontest.Servicio, string) {
	t.Helper()
	s := integraciontest.Start(t, options)
	s.CreateEmpresa(empresa, "Laboratorio")
	s.IssueApiKey(empresa)
	return s, s.CreateUsuario(operadora)
}

// codeOf is what the operator's app shows at a time.
func codeOf(t *testing.T, address string, at time.Time) string {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	codigo, err := totp.GenerateCode(parsed.Query().Get("secret"), at)
	if err != nil {
		t.Fatal(err)
	}
	return codigo
}

func TestOperador_changesOfTheClaveVoidTokens(t *testing.T) {
	t.Parallel()
	s, clave := newOperador(t, integraciontest.Options{})
	token := s.Login(operadora, clave)
	err := listWith(t, s, token)
	if err != nil {
		t.Fatal(err)
	}
	newer := s.ChangeClave(operadora)
	wantMotivo(t, listWith(t, s, token), errores.CredencialInvalida)
	_, err = login(t, s, clave, "")
	wantMotivo(t, err, errores.CredencialInvalida)

	token = s.Login(operadora, newer)
	s.RevokeTokens(operadora)
	wantMotivo(t, listWith(t, s, token), errores.CredencialInvalida)
	err = listWith(t, s, s.Login(operadora, newer))
	if err != nil {
		t.Error(err)
	}
}

func TestOperador_secondFactor(t *testing.T) {
	t.Parallel()
	s, clave := newOperador(t, integraciontest.Options{LoginMaxFailures: 1000})
	before := s.Login(operadora, clave)
	address := s.ActivateTOTP(operadora)
	wantMotivo(t, listWith(t, s, before), errores.CredencialInvalida)

	now := time.Now()
	for name, codigo := range map[string]string{
		"missing": "", "wrong": "000000x", "old": codeOf(t, address, now.Add(-10*time.Minute)), "long": "1234567",
	} {
		_, err := login(t, s, clave, codigo)
		t.Run(name, func(t *testing.T) { wantMotivo(t, err, errores.CredencialInvalida) })
	}
	_, err := login(t, s, "otra clave del todo", codeOf(t, address, now))
	wantMotivo(t, err, errores.CredencialInvalida)

	codigo := codeOf(t, address, time.Now())
	token, err := login(t, s, clave, codigo)
	if err != nil {
		t.Fatal(err)
	}
	err = listWith(t, s, token)
	if err != nil {
		t.Error(err)
	}
	_, err = login(t, s, clave, codigo)
	wantMotivo(t, err, errores.CredencialInvalida)

	s.RemoveTOTP(operadora)
	wantMotivo(t, listWith(t, s, token), errores.CredencialInvalida)
	_, err = login(t, s, clave, "")
	if err != nil {
		t.Errorf("without the second factor: %v", err)
	}
}

// TestOperador_oneLoginPerCode races many logins with one code.
func TestOperador_oneLoginPerCode(t *testing.T) {
	t.Parallel()
	s, clave := newOperador(t, integraciontest.Options{LoginMaxFailures: 1000})
	codigo := codeOf(t, s.ActivateTOTP(operadora), time.Now())
	var in atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_, err := login(t, s, clave, codigo)
			if err == nil {
				in.Add(1)
			}
		})
	}
	all.Wait()
	if in.Load() != 1 {
		t.Errorf("%d got in", in.Load())
	}
}

func TestOperador_wrongCodesLockOut(t *testing.T) {
	t.Parallel()
	s, clave := newOperador(t, integraciontest.Options{LoginMaxFailures: 3})
	address := s.ActivateTOTP(operadora)
	for range 3 {
		_, err := login(t, s, clave, "")
		wantMotivo(t, err, errores.CredencialInvalida)
	}
	_, err := login(t, s, clave, codeOf(t, address, time.Now()))
	wantMotivo(t, err, errores.DemasiadasSolicitudes)
}

func TestLogin_anyNameIsMerelyUnknown(t *testing.T) {
	t.Parallel()
	s := integraciontest.Start(t, integraciontest.Options{LoginMaxFailures: 1000})
	for _, usuario := range []string{"nadie", "ñ", "' OR 1=1", "pui"} {
		_, err := integracionv1.NewSesionServiceClient(s.Dial()).Login(t.Context(), &integracionv1.LoginRequest{
			Credenciales: &integracionv1.Credenciales{Usuario: usuario, Clave: "una clave cualquiera"},
		})
		wantMotivo(t, err, errores.CredencialInvalida)
	}
}

// TestEmpresa_suspension holds that keys stop within a second and tokens at once, that keys
// live again afterwards, and that tokens from before stay dead.
func TestEmpresa_suspension(t *testing.T) {
	t.Parallel()
	s := integraciontest.Start(t, integraciontest.Options{})
	s.CreateEmpresa(empresa, "Laboratorio")
	key, clave := s.IssueApiKey(empresa), s.SetClaveEntrada(empresa)
	token := s.Login("PUI", clave)
	conn := s.Dial()
	withKey := func() error {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "x-api-key", key.Texto)
		stream, err := integracionv1.NewAvisoServiceClient(conn).ListAvisos(ctx, &integracionv1.ListAvisosRequest{})
		if err != nil {
			return err
		}
		_, err = stream.Recv()
		return err
	}
	withToken := func(token string) error {
		_, err := integracionv1.NewReporteServiceClient(conn).DeactivateReporte(bearer(t, token), &integracionv1.DeactivateReporteRequest{
			Desactivacion: &integracionv1.Desactivacion{Id: "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-446655440000"},
		})
		return err
	}
	for _, err := range []error{withKey(), withToken(token)} {
		if err != nil {
			t.Fatal(err)
		}
	}

	s.SuspendEmpresa(empresa)
	suspended := time.Now()
	wantMotivo(t, withToken(token), errores.CredencialInvalida)
	_, err := integracionv1.NewSesionServiceClient(conn).Login(t.Context(), &integracionv1.LoginRequest{
		Credenciales: &integracionv1.Credenciales{Usuario: "PUI", Clave: clave},
	})
	wantMotivo(t, err, errores.CredencialInvalida)
	eventually(t, "the refusal of the key", func() bool {
		asked := time.Now()
		err := withKey()
		if err == nil && asked.Sub(suspended) > time.Second {
			t.Fatalf("the key worked %s after the suspension", asked.Sub(suspended))
		}
		return errs.Is(errs.FromStatus(err), errores.CredencialInvalida)
	})

	s.ResumeEmpresa(empresa)
	eventually(t, "the key's return", func() bool { return withKey() == nil })
	wantMotivo(t, withToken(token), errores.CredencialInvalida)
	err = withToken(s.Login("PUI", clave))
	if err != nil {
		t.Errorf("a new token: %v", err)
	}
}

// No table holds a text with a NUL, so that what it names does not exist.
func TestOperador_idsWithNUL(t *testing.T) {
	t.Parallel()
	s, clave := newOperador(t, integraciontest.Options{})
	ctx := bearer(t, s.Login(operadora, clave))
	conn := s.Dial()
	empresas, usuarios := integracionv1.NewEmpresaServiceClient(conn), integracionv1.NewUsuarioServiceClient(conn)
	seguimiento := integracionv1.NewSeguimientoServiceClient(conn)
	const usuario, reporte = "otra\x00", "LAB01-8f14e45f-ceea-467f-a8d5-1c2a5b0c1d2\x00"
	for name, call := range map[string]func() error{
		"empresa": func() error {
			_, err := empresas.GetEmpresa(ctx, &integracionv1.GetEmpresaRequest{IdEmpresa: "NUE010101AA1\x00"})
			return err
		},
		"suspensión": func() error {
			_, err := empresas.SuspendEmpresa(ctx, &integracionv1.SuspendEmpresaRequest{IdEmpresa: "NUE010101AA1\x00"})
			return err
		},
		"baja": func() error {
			_, err := usuarios.RemoveUsuario(ctx, &integracionv1.RemoveUsuarioRequest{Usuario: usuario})
			return err
		},
		"clave": func() error {
			_, err := usuarios.ChangeClave(ctx, &integracionv1.ChangeClaveRequest{Usuario: usuario})
			return err
		},
		"tokens": func() error {
			_, err := usuarios.RevokeTokens(ctx, &integracionv1.RevokeTokensRequest{Usuario: usuario})
			return err
		},
		"segundo factor": func() error {
			_, err := usuarios.RemoveSegundoFactor(ctx, &integracionv1.RemoveSegundoFactorRequest{Usuario: usuario})
			return err
		},
		"reporte": func() error {
			_, err := seguimiento.GetReporte(ctx, &integracionv1.GetReporteRequest{IdEmpresa: "LAB010101AB1", ReporteId: reporte})
			return err
		},
		"fin": func() error {
			_, err := seguimiento.RetryFin(ctx, &integracionv1.RetryFinRequest{IdEmpresa: "LAB010101AB1", ReporteId: reporte})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { wantMotivo(t, call(), errores.NoEncontrado) })
	}
}
