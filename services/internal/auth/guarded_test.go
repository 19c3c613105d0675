package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/test/bufconn"

	"github.com/enlace-iis/enlace/proto/errores"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/rpc"
)

// knownKeys is a KeyVerifier with scopes by key id; a wrong secret or an unknown id is not
// accepted.
type knownKeys map[string]knownKey

type knownKey struct {
	key     Key
	ambitos []Ambito
	refusal error
}

func (k knownKeys) VerifyKey(_ context.Context, key Key) (Principal, error) {
	known, ok := k[key.ID]
	if !ok || known.key.SecretHash() != key.SecretHash() {
		return Principal{}, errs.New(errores.CredencialInvalida, "La credencial no es válida.")
	}
	if known.refusal != nil {
		return Principal{}, known.refusal
	}
	return Principal{Rol: RolInstitucion, EmpresaID: empresa, Ambitos: known.ambitos, Subject: key.ID}, nil
}

// knownTokens is a TokenVerifier with roles by token.
type knownTokens map[string]Rol

func (k knownTokens) VerifyToken(_ context.Context, token string) (Principal, error) {
	rol, ok := k[token]
	if !ok {
		return Principal{}, errs.New(errores.CredencialInvalida, "La credencial no es válida.")
	}
	principal := Principal{Rol: rol, Subject: token}
	switch {
	case strings.HasSuffix(token, "fresh"):
		principal.LoggedInAt = time.Now().Add(10*time.Second - MaxRecent)
	case strings.HasSuffix(token, "old"):
		principal.LoggedInAt = time.Now().Add(-time.Second - MaxRecent)
	}
	return principal, nil
}

// credentialSet is the API keys that the tests present.
type credentialSet struct {
	cliente, eventos, revoked, expired, wrongSecret, unknown string
}

// guarded is a server behind a guard, over a connection in memory.
type guarded struct {
	conn    *grpc.ClientConn
	guard   *Guard
	log     *logBuffer
	present credentialSet
	// seen is the principal of the last call that reached a handler.
	seen chan Principal
	// reached counts the handlers that wait for the test to take their principal.
	reached atomic.Int32
}

func newGuarded(t *testing.T, limiter Limiter) *guarded {
	t.Helper()
	g := &guarded{log: &logBuffer{}, seen: make(chan Principal, 1)}
	keys := knownKeys{}
	issue := func(refusal error, ambitos ...Ambito) Key {
		key := newKey(t, "pruebas")
		keys[key.ID] = knownKey{key: key, ambitos: ambitos, refusal: refusal}
		return key
	}
	cliente := issue(nil, AmbitoCliente)
	g.present = credentialSet{
		cliente:     cliente.Reveal(),
		eventos:     issue(nil, AmbitoEventos).Reveal(),
		revoked:     issue(errs.New(errores.CredencialRevocada, "La credencial fue revocada."), AmbitoCliente).Reveal(),
		expired:     issue(errs.New(errores.CredencialCaducada, "La credencial caducó."), AmbitoCliente).Reveal(),
		wrongSecret: Key{Ambiente: "pruebas", ID: cliente.ID, secret: newKey(t, "pruebas").secret}.Reveal(),
		unknown:     newKey(t, "pruebas").Reveal(),
	}
	g.guard = &Guard{
		Table: table, Keys: keys, Limiter: limiter,
		Tokens: knownTokens{
			"pui": RolPUI, "operador": RolOperador, "servicio": RolServicio,
			"operador fresh": RolOperador, "operador old": RolOperador, "pui fresh": RolPUI,
		},
	}
	g.conn = g.start(t)
	return g
}

func (g *guarded) start(t *testing.T) *grpc.ClientConn {
	t.Helper()
	server, err := rpc.NewServer(rpc.ServerConfig{}, rpc.ServerParts{
		Log:    slog.New(slog.NewJSONHandler(g.log, nil)),
		Layers: []rpc.Layer{g.guard.Layer},
	})
	if err != nil {
		t.Fatal(err)
	}
	registrosv1.RegisterRegistroServiceServer(server, registroStub{g: g})
	registrosv1.RegisterCasoServiceServer(server, casoStub{g: g})
	registrosv1.RegisterBusquedaServiceServer(server, busquedaStub{g: g})
	registrosv1.RegisterCargaServiceServer(server, cargaStub{g: g})
	accesov1.RegisterAccesoServiceServer(server, g.guard)

	listener := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, listener) }()
	conn, err := rpc.Dial("passthrough:///enlace", rpc.ClientConfig{Options: []grpc.DialOption{
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		cancel()
		err := <-served
		if err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return conn
}

func (g *guarded) reach(ctx context.Context) error {
	principal, err := PrincipalFrom(ctx)
	if err != nil {
		return err
	}
	g.reached.Add(1)
	defer g.reached.Add(-1)
	g.seen <- principal
	return nil
}

type registroStub struct {
	registrosv1.UnimplementedRegistroServiceServer
	g *guarded
}

func (s registroStub) Ping(ctx context.Context, _ *registrosv1.PingRequest) (*registrosv1.PingResponse, error) {
	_, err := PrincipalFrom(ctx)
	if err == nil {
		return nil, errors.New("a public method has a principal")
	}
	return &registrosv1.PingResponse{}, nil
}

func (s registroStub) ValidateRegistros(ctx context.Context, _ *registrosv1.ValidateRegistrosRequest) (*registrosv1.ValidateRegistrosResponse, error) {
	return &registrosv1.ValidateRegistrosResponse{}, s.g.reach(ctx)
}

func (s registroStub) SaveRegistros(ctx context.Context, _ *registrosv1.SaveRegistrosRequest) (*registrosv1.SaveRegistrosResponse, error) {
	return &registrosv1.SaveRegistrosResponse{}, s.g.reach(ctx)
}

func (s registroStub) SaveLote(ctx context.Context, _ *registrosv1.SaveLoteRequest) (*registrosv1.SaveLoteResponse, error) {
	return &registrosv1.SaveLoteResponse{}, s.g.reach(ctx)
}

type casoStub struct {
	registrosv1.UnimplementedCasoServiceServer
	g *guarded
}

func (s casoStub) ListCasos(_ *registrosv1.ListCasosRequest, stream grpc.ServerStreamingServer[registrosv1.ListCasosResponse]) error {
	err := s.g.reach(stream.Context())
	if err != nil {
		return err
	}
	return stream.Send(&registrosv1.ListCasosResponse{})
}

type busquedaStub struct {
	registrosv1.UnimplementedBusquedaServiceServer
	g *guarded
}

func (s busquedaStub) OpenCaso(ctx context.Context, _ *registrosv1.OpenCasoRequest) (*registrosv1.OpenCasoResponse, error) {
	return &registrosv1.OpenCasoResponse{}, s.g.reach(ctx)
}

type cargaStub struct {
	registrosv1.UnimplementedCargaServiceServer
	g *guarded
}

func (s cargaStub) FinishCarga(ctx context.Context, _ *registrosv1.FinishCargaRequest) (*registrosv1.FinishCargaResponse, error) {
	return &registrosv1.FinishCargaResponse{}, s.g.reach(ctx)
}

// call makes a call of any of the methods, with that metadata, and gives its outcome.
func (g *guarded) call(t *testing.T, method string, pairs ...string) error {
	t.Helper()
	return g.callWith(t.Context(), method, pairs...)
}

func (g *guarded) callWith(ctx context.Context, method string, pairs ...string) error {
	ctx = metadata.AppendToOutgoingContext(ctx, pairs...)
	if method == casosRPC {
		stream, err := registrosv1.NewCasoServiceClient(g.conn).ListCasos(ctx, nil)
		if err != nil {
			return err
		}
		for err == nil {
			_, err = stream.Recv()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	// An empty request reads as any message, and so does an empty answer.
	return g.conn.Invoke(ctx, method, &registrosv1.PingRequest{}, &registrosv1.PingResponse{})
}

// waiting returns once the handler of a call waits for the test to take its principal.
func (g *guarded) waiting(t *testing.T, ended <-chan error) {
	t.Helper()
	for g.reached.Load() == 0 {
		select {
		case err := <-ended:
			t.Fatalf("the call ended: %v", err)
		default:
			runtime.Gosched()
		}
	}
}

// checkAcceso asks about a method: before a request with no motivo, at its end with one.
func (g *guarded) checkAcceso(t *testing.T, method string, motivo errores.Motivo, pairs ...string) error {
	t.Helper()
	ctx := metadata.AppendToOutgoingContext(t.Context(), pairs...)
	_, err := accesov1.NewAccesoServiceClient(g.conn).CheckAcceso(ctx, &accesov1.CheckAccesoRequest{Rpc: method, Motivo: motivo})
	return err
}

// logBuffer keeps JSON log lines.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logBuffer) only(t *testing.T) map[string]any {
	t.Helper()
	var line map[string]any
	err := json.Unmarshal([]byte(l.String()), &line)
	if err != nil {
		t.Fatalf("not exactly one line: %v", err)
	}
	return line
}
