package harness

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

// operador is who a suite acts as: by commands where these are its subject, else by calls,
// which cost no process each.
type operador struct {
	mu sync.Mutex
	// first is the one whom nobody had to add.
	first *integracionv1.Credenciales
	// opened is when the commands' session was opened, conn the calls' connection, token their
	// session and granted since when.
	opened  time.Time
	conn    *grpc.ClientConn
	token   bearer
	granted time.Time
}

// sessionTime is how long a session is used: what changes accounts and keys asks for a login of
// five minutes ago at most (contract.md, section 9).
const sessionTime = 4 * time.Minute

// Operate runs a command of the operator and reads its answer, unless target is nil.
func (s *System) Operate(tb testing.TB, stdin string, target any, args ...string) {
	tb.Helper()
	output, err := s.Operator(tb.Context(), stdin, args...)
	if err != nil {
		tb.Fatal(err)
	}
	if target == nil {
		return
	}
	err = json.Unmarshal(output, target)
	if err != nil {
		tb.Fatalf("%v: %v", args, err)
	}
}

// Operator runs a command of the operator in a session that it opens at the first one.
func (s *System) Operator(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	err := s.openSesion(ctx)
	if err != nil {
		return nil, err
	}
	return s.Stack.Operator(ctx, stdin, args...)
}

// Operador is a connection with integracion on which every call is an operator's.
func (s *System) Operador(tb testing.TB) *grpc.ClientConn {
	tb.Helper()
	o := &s.operador
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.conn == nil {
		conn, err := routes.Dial(s.Target(stack.Integracion), s.inward, grpc.WithPerRPCCredentials(&o.token), grpc.WithChainUnaryInterceptor(patient))
		if err != nil {
			tb.Fatal(err)
		}
		o.conn = conn
	}
	if o.token.Load() == nil || time.Since(o.granted) > sessionTime {
		made, err := s.firstOperador(tb.Context())
		if err != nil {
			tb.Fatal(err)
		}
		granted, err := integracionv1.NewSesionServiceClient(o.conn).Login(tb.Context(), &integracionv1.LoginRequest{Credenciales: made})
		if err != nil {
			tb.Fatal(err)
		}
		o.token.Store(new(granted.GetToken()))
		o.granted = time.Now()
	}
	return o.conn
}

// SignToken signs a token of an operator, whose account was never changed, with the system's own
// secret: one of a login of so long ago.
func (s *System) SignToken(tb testing.TB, usuario string, ago time.Duration) string {
	tb.Helper()
	at := time.Now().Add(-ago)
	return SignJWT(tb, s.Secrets().Get("JWT_SECRET"), map[string]any{
		"iss": "enlace", "aud": []string{"enlace"}, "sub": usuario, "jti": "prueba-" + usuario, "rol": "operador", "ver": 1,
		"iat": at.Unix(), "exp": at.Add(time.Hour).Unix(),
	})
}

// SignJWT signs claims with HS256.
func SignJWT(tb testing.TB, secret string, claims map[string]any) string {
	tb.Helper()
	unsigned := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(Encode(tb, claims))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(unsigned))
	return unsigned + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// patient waits for a service that restarts.
func patient(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker, options ...grpc.CallOption) error {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	return call(ctx, method, req, reply, conn, append(options, grpc.WaitForReady(true))...)
}

// ForgetSesion has the next command and the next call open another session, where the tokens
// given out so far are void.
func (s *System) ForgetSesion(tb testing.TB) {
	tb.Helper()
	s.operador.mu.Lock()
	defer s.operador.mu.Unlock()
	s.operador.opened = time.Time{}
	s.operador.token.Store(nil)
	_, err := s.Stack.Operator(tb.Context(), "", "sesion", "cerrar")
	if err != nil {
		tb.Fatal(err)
	}
}

func (s *System) openSesion(ctx context.Context) error {
	s.operador.mu.Lock()
	defer s.operador.mu.Unlock()
	if time.Since(s.operador.opened) < sessionTime {
		return nil
	}
	made, err := s.firstOperador(ctx)
	if err != nil {
		return err
	}
	_, err = s.Stack.Operator(ctx, made.GetClave(), "sesion", "abrir", "--usuario", made.GetUsuario(), "--clave-stdin")
	if err == nil {
		s.operador.opened = time.Now()
	}
	return err
}

// firstOperador makes the first operator of a system, by a command on its machine.
func (s *System) firstOperador(ctx context.Context) (*integracionv1.Credenciales, error) {
	if s.operador.first != nil {
		return s.operador.first, nil
	}
	const usuario = "pruebas"
	output, err := s.Stack.Operator(ctx, "", "usuarios", "crear", "--usuario", usuario)
	if err != nil {
		return nil, err
	}
	var made struct{ Clave string }
	err = json.Unmarshal(output, &made)
	if err != nil {
		return nil, fmt.Errorf("read answer of usuarios crear: %w", err)
	}
	s.operador.first = &integracionv1.Credenciales{Usuario: usuario, Clave: made.Clave}
	return s.operador.first, nil
}

// bearer is the token of every call; nil before the login.
type bearer struct{ atomic.Pointer[string] }

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (b *bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	token := b.Load()
	if token == nil {
		return nil, nil
	}
	return map[string]string{"authorization": "Bearer " + *token}, nil
}

// RequireTransportSecurity is false: most suites speak without TLS.
func (b *bearer) RequireTransportSecurity() bool { return false }
