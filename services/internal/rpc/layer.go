package rpc

import (
	"context"

	"google.golang.org/grpc"
)

// Layer wraps a call on the server, unary or streaming alike. rpc is the full method, such
// as "/enlace.registros.v1.RegistroService/SaveLote". It calls next at most once, with ctx
// or a context derived from it.
type Layer func(ctx context.Context, rpc string, next func(context.Context) error) error

// Unary is the layer as gRPC wants it for unary calls.
func (l Layer) Unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	var resp any
	err := l(ctx, info.FullMethod, func(ctx context.Context) error {
		var err error
		resp, err = handler(ctx, req)
		return err
	})
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// Stream is the layer as gRPC wants it for streaming calls.
func (l Layer) Stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	return l(stream.Context(), info.FullMethod, func(ctx context.Context) error {
		return handler(srv, &layeredStream{ServerStream: stream, ctx: ctx})
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

func interceptors(layers []Layer) []grpc.ServerOption {
	unary := make([]grpc.UnaryServerInterceptor, len(layers))
	stream := make([]grpc.StreamServerInterceptor, len(layers))
	for i, layer := range layers {
		unary[i] = layer.Unary
		stream[i] = layer.Stream
	}
	return []grpc.ServerOption{grpc.ChainUnaryInterceptor(unary...), grpc.ChainStreamInterceptor(stream...)}
}
