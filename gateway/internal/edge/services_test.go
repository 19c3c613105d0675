package edge

import (
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/durationpb"

	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/proto/opciones"
)

// goodKey is the one API key, and goodToken the one token, that the services accept.
const (
	goodKey   = "iis_prueba_llave"
	goodToken = "Bearer token"
)

// A call is one RPC as a service received it.
type call struct {
	rpc      string
	metadata metadata.MD
	stream   grpc.ServerStream
}

// receive reads the request message.
func (c *call) receive(t testing.TB, m proto.Message) {
	err := c.stream.RecvMsg(m)
	if err != nil {
		t.Errorf("%s: receive request: %v", c.rpc, err)
	}
}

// services plays both services: any RPC runs the script that the test wrote for it, after
// the credentials were judged as the real ones do.
type services struct {
	t testing.TB

	mu      sync.Mutex
	scripts map[string]func(*call) error
	calls   []*call
	open    map[string]bool // RPCs that want no credential
}

func newServices(t testing.TB) *services {
	return &services{t: t, scripts: map[string]func(*call) error{}, open: map[string]bool{
		integracionv1.SesionService_Login_FullMethodName:     true,
		integracionv1.InicioService_GetInicio_FullMethodName: true,

		integracionv1.BitacoraService_GetLlaveEvidencia_FullMethodName: true,
		"/grpc.health.v1.Health/Check":                                 true,
	}}
}

// on sets the script of an RPC.
func (s *services) on(rpc string, script func(*call) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts[rpc] = script
}

// answer makes an RPC give one message.
func (s *services) answer(rpc string, m proto.Message) {
	s.on(rpc, func(c *call) error { return c.stream.SendMsg(m) })
}

// fail makes an RPC fail.
func (s *services) fail(rpc string, err error) {
	s.on(rpc, func(*call) error { return err })
}

// received lists the RPCs that arrived, in order.
func (s *services) received() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, each := range s.calls {
		names = append(names, each.rpc)
	}
	return names
}

// last gives the newest call of an RPC.
func (s *services) last(rpc string) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.calls) - 1; i >= 0; i-- {
		if s.calls[i].rpc == rpc {
			return s.calls[i]
		}
	}
	s.t.Fatalf("%s was not called", rpc)
	return nil
}

func (s *services) handle(_ any, stream grpc.ServerStream) error {
	rpc, _ := grpc.MethodFromServerStream(stream)
	md, _ := metadata.FromIncomingContext(stream.Context())
	received := &call{rpc: rpc, metadata: md, stream: stream}
	s.mu.Lock()
	s.calls = append(s.calls, received)
	script := s.scripts[rpc]
	open := s.open[rpc]
	s.mu.Unlock()

	if !open {
		err := judge(md)
		if err != nil {
			return err
		}
	}
	if script == nil && rpc == accesov1.AccesoService_CheckAcceso_FullMethodName {
		return stream.SendMsg(&accesov1.CheckAccesoResponse{})
	}
	if script == nil {
		return status.Error(codes.Unimplemented, "no script for "+rpc)
	}
	return script(received)
}

// judge applies the order of the real services: absent, invalid.
func judge(md metadata.MD) error {
	key, token := strings.Join(md.Get("x-api-key"), "|"), strings.Join(md.Get("authorization"), "|")
	switch {
	case key == goodKey || token == goodToken:
		return nil
	case key == "" && token == "":
		return refusal(codes.Unauthenticated, "CREDENCIAL_AUSENTE", "Falta la credencial.")
	case key == "sin permiso":
		return refusal(codes.PermissionDenied, "SIN_PERMISO", "La llave no tiene permiso.")
	default:
		return refusal(codes.Unauthenticated, "CREDENCIAL_INVALIDA", "La credencial no es válida.")
	}
}

// refusal is a status as the services word it.
func refusal(code codes.Code, reason, message string, details ...protoadapt.MessageV1) error {
	info := &errdetails.ErrorInfo{Domain: "enlace", Reason: reason}
	st, err := status.New(code, message).WithDetails(append([]protoadapt.MessageV1{info}, details...)...)
	if err != nil {
		panic(err)
	}
	return st.Err()
}

func retryIn(wait time.Duration) *errdetails.RetryInfo {
	return &errdetails.RetryInfo{RetryDelay: durationpb.New(wait)}
}

// everyRPC answers each RPC of the public routes with an empty message, or nearly so.
func (s *services) everyRPC() {
	all, err := opciones.Todos()
	if err != nil {
		panic(err)
	}
	for _, metodo := range all {
		answer, err := protoregistry.GlobalTypes.FindMessageByName(metodo.Descriptor.Output().FullName())
		if err != nil {
			panic(err)
		}
		s.answer(metodo.RPC, answer.New().Interface())
	}
	s.answer(registrosv1.RegistroService_Ping_FullMethodName, &registrosv1.PingResponse{Mensaje: "pong"})
	s.answer(registrosv1.CasoService_ListCasos_FullMethodName, &registrosv1.ListCasosResponse{Revision: "7"})
	s.answer(registrosv1.CasoService_ListCoincidencias_FullMethodName, &registrosv1.ListCoincidenciasResponse{Revision: "7"})
	s.answer(integracionv1.AvisoService_ListAvisos_FullMethodName, &integracionv1.ListAvisosResponse{Revision: "7"})
	s.answer(integracionv1.ApiKeyService_IssueApiKey_FullMethodName, &integracionv1.IssueApiKeyResponse{KeyId: "k"})
	s.answer(integracionv1.SesionService_Login_FullMethodName, &integracionv1.LoginResponse{Token: "jwt"})
}
