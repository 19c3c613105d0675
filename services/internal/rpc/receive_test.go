package rpc

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/enlace-iis/enlace/proto/errores"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/proto/opciones"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

const loteRPC = registrosv1.RegistroService_SaveLote_FullMethodName

// bounding is a layer that bounds every request but those of the infrastructure: a client whose
// watch of the health were cut off would see a server that is not well.
func bounding(bounds Bounds) Layer {
	return func(ctx context.Context, rpc string, next func(context.Context) error) error {
		if infrastructure(rpc) {
			return next(ctx)
		}
		return next(WithBounds(ctx, bounds))
	}
}

// loteOf is a batch of about that many bytes.
func loteOf(size int) *registrosv1.SaveLoteRequest {
	return &registrosv1.SaveLoteRequest{Registros: []*registrosv1.Registro{{Folio: strings.Repeat("x", size)}}}
}

// countedConn counts what a client sends.
type countedConn struct {
	net.Conn
	sent *atomic.Int64
}

func (c countedConn) Write(p []byte) (int, error) {
	c.sent.Add(int64(len(p)))
	return c.Conn.Write(p)
}

func countingDialer(f *fixture, sent *atomic.Int64) grpc.DialOption {
	return grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		conn, err := f.listener.DialContext(ctx)
		return countedConn{conn, sent}, err
	})
}

// What nobody may send is not even taken off the wire.
func TestServer_aRefusedCallIsNotRead(t *testing.T) {
	refuse := func(ctx context.Context, rpc string, next func(context.Context) error) error {
		if infrastructure(rpc) {
			return next(ctx)
		}
		return errs.New(errores.CredencialAusente, "No.")
	}
	f := serve(t, ServerConfig{}, ServerParts{Layers: []Layer{refuse}}, &stub{})
	var sent atomic.Int64
	conn, err := Dial("passthrough:///enlace", ClientConfig{Options: []grpc.DialOption{countingDialer(f, &sent)}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	_, err = registrosv1.NewRegistroServiceClient(conn).SaveLote(t.Context(), loteOf(8<<20))

	if !errs.Is(err, errores.CredencialAusente) {
		t.Errorf("%v", err)
	}
	if got := sent.Load(); got == 0 || got > 2*streamWindow {
		t.Errorf("the server took %d bytes of a call that it refused", got)
	}
}

func TestServer_boundsARequest(t *testing.T) {
	reached := false
	f := serve(t, ServerConfig{}, ServerParts{Layers: []Layer{bounding(Bounds{Bytes: 1 << 20, Time: time.Minute})}},
		&stub{lote: func(*registrosv1.SaveLoteRequest) error { reached = true; return nil }})

	_, err := f.registros(t).SaveLote(t.Context(), loteOf(1<<20-64))
	if err != nil || !reached {
		t.Errorf("within the bound: %v", err)
	}
	reached = false
	_, err = f.registros(t).SaveLote(t.Context(), loteOf(1<<20))
	if !errs.Is(err, errores.CuerpoDemasiadoGrande) || reached {
		t.Errorf("beyond it: %v, reached %v", err, reached)
	}
}

func TestServer_waitsForARequestNoLongerThanItMay(t *testing.T) {
	f := serve(t, ServerConfig{}, ServerParts{Layers: []Layer{bounding(Bounds{Bytes: 1, Time: time.Millisecond})}}, &stub{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stream, err := f.dial(t, ClientConfig{}).NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, loteRPC)
	if err != nil {
		t.Fatal(err)
	}

	err = stream.RecvMsg(&registrosv1.SaveLoteResponse{})

	if !errs.Is(err, errores.TiempoAgotado) {
		t.Errorf("a client that sends nothing: %v", err)
	}
}

// everyRPC are the methods of both services, of what is open to all, and of gRPC itself, with the
// most that each may be sent.
func everyRPC(t *testing.T) map[string]int {
	t.Helper()
	metodos, err := opciones.Todos()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int{
		healthv1.Health_Check_FullMethodName: opciones.MaxMensaje,
		healthv1.Health_Watch_FullMethodName: opciones.MaxMensaje,
		healthv1.Health_List_FullMethodName:  opciones.MaxMensaje,
	}
	for _, m := range metodos {
		all[m.RPC] = m.MaxMensaje()
		if m.MaxMensaje() > opciones.MaxMensaje && m.Acceso.GetPublico() {
			t.Errorf("%s is open to all and takes %d bytes", m.RPC, m.MaxMensaje())
		}
	}
	for _, linked := range []string{
		accesov1.AccesoService_CheckAcceso_FullMethodName, integracionv1.SesionService_Login_FullMethodName, loteRPC,
	} {
		if all[linked] == 0 {
			t.Fatalf("%s is not among the methods", linked)
		}
	}
	return all
}

// registerAll serves every method of ours from its descriptor; each receives its message and no more.
func registerAll(t *testing.T, server *Server) {
	t.Helper()
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			if !strings.HasPrefix(string(service.FullName()), "enlace.") {
				continue
			}
			desc := &grpc.ServiceDesc{ServiceName: string(service.FullName())}
			for n := range service.Methods().Len() {
				method := service.Methods().Get(n)
				receive := func(decode func(any) error) error {
					err := decode(dynamicpb.NewMessage(method.Input()))
					if err == nil {
						err = status.Error(codes.Unimplemented, "received")
					}
					return err
				}
				if method.IsStreamingServer() {
					desc.Streams = append(desc.Streams, grpc.StreamDesc{StreamName: string(method.Name()), ServerStreams: true,
						Handler: func(_ any, stream grpc.ServerStream) error { return receive(stream.RecvMsg) }})
					continue
				}
				desc.Methods = append(desc.Methods, grpc.MethodDesc{MethodName: string(method.Name()),
					Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
						return nil, receive(decode)
					}})
			}
			server.RegisterService(desc, nil)
		}
		return true
	})
}

// sized sends so many bytes, which are no message: whether they are received is the question.
type sized struct{ encoding.CodecV2 }

func (sized) Marshal(size any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(make([]byte, size.(int)))}, nil
}

// No method takes more than its proto allows, and what is more is refused by what it announces.
func TestServer_boundsEveryRPC(t *testing.T) {
	server, err := NewServer(ServerConfig{}, ServerParts{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	registerAll(t, server)
	f := &fixture{listener: bufconn.Listen(1 << 20)}
	served := make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() { served <- server.Serve(ctx, f.listener) }()
	defer func() {
		stop()
		err := <-served
		if err != nil {
			t.Error(err)
		}
	}()
	var sent atomic.Int64
	conn := f.dial(t, ClientConfig{Options: []grpc.DialOption{countingDialer(f, &sent)}})
	for rpc, most := range everyRPC(t) {
		for size, want := range map[int]bool{most: true, most + 1: false, opciones.MaxMensajeLote: most == opciones.MaxMensajeLote} {
			sent.Store(0)
			stream, err := conn.NewStream(t.Context(), &grpc.StreamDesc{}, rpc, grpc.ForceCodecV2(sized{codec}), grpc.MaxCallSendMsgSize(64<<20))
			if err != nil {
				t.Fatal(err)
			}
			err = stream.SendMsg(size)
			if err == nil || errors.Is(err, io.EOF) { // the answer may come before all is sent
				err = stream.RecvMsg(&registrosv1.PingResponse{})
			}
			if got := !errs.Is(err, errores.CuerpoDemasiadoGrande); got != want {
				t.Errorf("%s with %d bytes: received %t (%v), want %t", rpc, size, got, err, want)
			}
			if taken := sent.Load(); !want && taken > 2*streamWindow {
				t.Errorf("%s took %d bytes of a message that it refused", rpc, taken)
			}
		}
	}
}

// Whoever begins more messages than one connection carries, and ends none, is refused; nobody is
// counted any more whose message has arrived, was refused, or whose connection is gone.
func TestServer_boundsMessagesThatDoNotEnd(t *testing.T) {
	f := serve(t, ServerConfig{}, ServerParts{}, &stub{})
	counted := func() int {
		for n := range arrivingShare {
			permit, err := f.server.arriving.Take(atOnce, "bufconn", arrivingShare-int64(n))
			if err == nil {
				permit.Leave()
				return n
			}
		}
		return arrivingShare
	}
	settle := func(want int) {
		t.Helper()
		for limit := time.Now().Add(time.Minute); counted() != want; runtime.Gosched() {
			if time.Now().After(limit) {
				t.Fatalf("%d calls are counted, want %d", counted(), want)
			}
		}
	}
	first, second, third := f.dial(t, ClientConfig{}), f.dial(t, ClientConfig{}), f.registros(t)
	for range 50 {
		_, err := third.Ping(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	settle(0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begin := func(conn *grpc.ClientConn) {
		t.Helper()
		_, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, loteRPC)
		if err != nil {
			t.Fatal(err)
		}
	}
	for range arrivingShare / 2 {
		begin(first)
		begin(second)
	}
	settle(arrivingShare)

	_, err := third.Ping(t.Context(), nil)

	if !errs.Is(err, errores.NoDisponible) {
		t.Errorf("one more: got %v, want a refusal", err)
	}
	cancel()
	settle(0)
	_, err = third.Ping(t.Context(), nil)
	if err != nil {
		t.Errorf("once they are gone: %v", err)
	}
}

// A client's broken message is nothing that an operator must mend.
func TestServer_aRequestThatCannotBeReadIsLoggedQuietly(t *testing.T) {
	f := serve(t, ServerConfig{}, ServerParts{}, &stub{})

	err := f.dial(t, ClientConfig{}).Invoke(t.Context(), loteRPC,
		&registrosv1.PingResponse{Mensaje: "not a Registro"}, &registrosv1.SaveLoteResponse{})

	if err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	// The answer leaves before the call is over.
	err = f.server.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// What the client watches has ended too, and has a line of its own.
	lines := slices.DeleteFunc(f.log.of(t, "rpc"), func(line map[string]any) bool { return line["rpc"] != loteRPC })
	if len(lines) != 1 || lines[0]["level"] != "INFO" || lines[0]["code"] != "Internal" || lines[0]["motivo"] != nil {
		t.Errorf("log %v", lines)
	}
}
