package tracing

import (
	"strings"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// ServerOptions make a gRPC server record its calls, within the traces of their callers.
func (t *Tracing) ServerOptions() []grpc.ServerOption {
	if t == nil {
		return nil
	}
	return []grpc.ServerOption{grpc.StatsHandler(otelgrpc.NewServerHandler(t.options()...))}
}

// DialOptions make a gRPC client record its calls and tell the server their trace.
func (t *Tracing) DialOptions() []grpc.DialOption {
	if t == nil {
		return nil
	}
	return []grpc.DialOption{grpc.WithStatsHandler(otelgrpc.NewClientHandler(t.options()...))}
}

func (t *Tracing) options() []otelgrpc.Option {
	return []otelgrpc.Option{
		otelgrpc.WithTracerProvider(t.provider),
		otelgrpc.WithPropagators(parentOnly{}),
		otelgrpc.WithFilter(isOurs),
	}
}

// isOurs tells the methods of Enlace from those that gRPC itself brings, which are nobody's
// request, and from those that a client made up, whose names could be anything.
func isOurs(info *stats.RPCTagInfo) bool {
	name := strings.ReplaceAll(strings.TrimPrefix(info.FullMethodName, "/"), "/", ".")
	if !strings.HasPrefix(name, "enlace.") {
		return false
	}
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return false
	}
	_, isMethod := found.(protoreflect.MethodDescriptor)
	return isMethod
}
