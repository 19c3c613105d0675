package rpc

import (
	"cmp"
	"context"
	"strings"

	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/proto/opciones"
)

// Layer wraps a call on the server, unary or streaming alike, before its request is received.
// rpc is the full method, such as "/enlace.registros.v1.RegistroService/SaveLote". It calls
// next at most once, with ctx or a context derived from it.
type Layer func(ctx context.Context, rpc string, next func(context.Context) error) error

// within describes a service with layers around its methods. Unary methods are described as
// streams, which on the wire they are: the handler of a stream receives its message itself,
// so that a call which a layer refuses costs no more than its metadata.
func within(layers []Layer, desc *grpc.ServiceDesc) *grpc.ServiceDesc {
	wrapped := *desc
	wrapped.Methods, wrapped.Streams = nil, nil
	for _, method := range desc.Methods {
		wrapped.Streams = append(wrapped.Streams, grpc.StreamDesc{StreamName: method.MethodName, Handler: unary(method)})
	}
	wrapped.Streams = append(wrapped.Streams, desc.Streams...)
	limits := limitsOf(desc.ServiceName)
	for i := range wrapped.Streams {
		stream := &wrapped.Streams[i]
		rpc := "/" + desc.ServiceName + "/" + stream.StreamName
		limit := cmp.Or(limits[rpc], opciones.MaxMensaje)
		if stream.ClientStreams {
			limit = 0
		}
		stream.Handler = layered(layers, rpc, limit, stream.Handler)
	}
	return &wrapped
}

// limitsOf gives the most bytes of each method's request. It panics on a proto that is wrong, as
// the table of the access does.
func limitsOf(service string) map[string]int {
	if !strings.HasPrefix(service, "enlace.") {
		return nil
	}
	metodos, err := opciones.Metodos(service)
	if err != nil {
		panic(err)
	}
	limits := map[string]int{}
	for _, metodo := range metodos {
		limits[metodo.RPC] = metodo.MaxMensaje()
	}
	return limits
}

func unary(method grpc.MethodDesc) grpc.StreamHandler {
	return func(impl any, stream grpc.ServerStream) error {
		answer, err := method.Handler(impl, stream.Context(), stream.RecvMsg, nil)
		if err != nil {
			return err
		}
		return stream.SendMsg(answer)
	}
}

func layered(layers []Layer, rpc string, limit int, handler grpc.StreamHandler) grpc.StreamHandler {
	return func(impl any, stream grpc.ServerStream) error {
		return pass(stream.Context(), layers, rpc, func(ctx context.Context) error {
			return handler(impl, &layeredStream{ServerStream: stream, ctx: ctx, limit: limit})
		})
	}
}

func pass(ctx context.Context, layers []Layer, rpc string, handler func(context.Context) error) error {
	if len(layers) == 0 {
		return handler(ctx)
	}
	return layers[0](ctx, rpc, func(ctx context.Context) error {
		return pass(ctx, layers[1:], rpc, handler)
	})
}

// layeredStream shows the handler the context that the layers made, and receives its message.
type layeredStream struct {
	grpc.ServerStream
	ctx context.Context
	// limit is the most bytes of the request; zero: the client may send more than one message.
	limit int
}

func (s *layeredStream) Context() context.Context {
	return s.ctx
}
