package routes

import (
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/enlace-iis/enlace/proto/jsonwire"
	"github.com/enlace-iis/enlace/proto/opciones"
)

// An rpc is what calling one takes, of whichever kind it is.
type rpc struct {
	route    *Route
	conn     *grpc.ClientConn
	request  protoreflect.MessageType
	body     protoreflect.FieldDescriptor // of the request; nil: the body is the request
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
	return rpc{
		route: route, conn: conn, request: request, response: response,
		body: metodo.Descriptor.Input().Fields().ByName(protoreflect.Name(metodo.Rule().GetBody())),
	}, nil
}

// read makes the request of the body and the path.
func (c rpc) read(call *Call) (protoreflect.Message, error) {
	request := c.request.New()
	err := c.readBody(call, request)
	if err != nil {
		return nil, err
	}
	setParameters(request, call.Parameters)
	return request, nil
}

func (c rpc) readBody(call *Call, request protoreflect.Message) (err error) {
	body := call.take()
	into := request
	if c.body != nil && c.body.Message() != nil {
		into = request.Mutable(c.body).Message()
	}
	switch c.route.Body {
	case NoBody:
	case Signed:
		request.Set(c.body, protoreflect.ValueOfBytes(body))
	case Ignored:
		if len(body) > 0 {
			err = jsonwire.Valid(body)
		}
	case Batch:
		err = jsonwire.ReadRegistros(body, into.Interface(), c.route.MaxRegistros)
	case Lenient:
		call.Ignored, err = jsonwire.ReadLenient(body, into.Interface())
	default:
		err = jsonwire.Read(body, into.Interface())
	}
	return err
}

// setParameters fills the fields of a request that its address names.
func setParameters(request protoreflect.Message, parameters map[string]string) {
	for name, value := range parameters {
		request.Set(request.Descriptor().Fields().ByName(protoreflect.Name(name)), protoreflect.ValueOfString(value))
	}
}
