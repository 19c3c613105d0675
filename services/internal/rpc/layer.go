package rpc

import (
	"context"

	"google.golang.org/grpc"
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
	for i := range wrapped.Streams {
		stream := &wrapped.Streams[i]
		stream.Handler = layered(layers, "/"+desc.ServiceName+"/"+stream.StreamName, stream.Handler)
	}
	return &wrapped
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

func layered(layers []Layer, rpc string, handler grpc.StreamHandler) grpc.StreamHandler {
	return func(impl any, stream grpc.ServerStream) error {
		return pass(stream.Context(), layers, rpc, func(ctx context.Context) error {
			return handler(impl, &layeredStream{ServerStream: stream, ctx: ctx})
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

// layeredStream shows the handler the context that the layers made.
type layeredStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s *layeredStream) Context() context.Context {
	return s.ctx
}
