package routes

import (
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/enlace-iis/enlace/proto/opciones"
)

// An rpc is what calling one takes, of whichever kind it is.
type rpc struct {
	route    *Route
	conn     *grpc.ClientConn
	request  protoreflect.MessageType
	response protoreflect.MessageType
}

func newRPC(route *Route, metodo opciones.Metodo, conn *grpc.ClientConn) (rpc, error) {
	request, err := protoregistry.GlobalTypes.FindMessageByName(metodo.Descriptor.Input().FullName())
	if err != nil {
		return rpc{}, fmt.Errorf("find request: %w", err)
	}
	response, err := protoregistry.GlobalTypes.FindMessageByName(metodo.Descriptor.Output().FullName())
	if err != nil {
		return rpc{}, fmt.Errorf("find response: %w", err)
	}
	return rpc{route: route, conn: conn, request: request, response: response}, nil
}

// setParameters fills the fields of a request that its address names.
func setParameters(request protoreflect.Message, parameters map[string]string) {
	for name, value := range parameters {
		request.Set(request.Descriptor().Fields().ByName(protoreflect.Name(name)), protoreflect.ValueOfString(value))
	}
}
