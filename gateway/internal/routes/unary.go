package routes

import (
	"fmt"
	"net/http"
	"strconv"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/enlace-iis/enlace/proto/jsonwire"
	"github.com/enlace-iis/enlace/proto/opciones"
)

// A unary serves one RPC with one answer. grpc-gateway's generated handlers make a text of
// what is wrong with a body, and the contract promises its place.
type unary struct {
	rpc
	answer protoreflect.FieldDescriptor // of the response; nil: all of it
}

func newUnary(route *Route, rule *annotations.HttpRule, metodo opciones.Metodo, conn *grpc.ClientConn) (*unary, error) {
	called, err := newRPC(route, metodo, conn)
	if err != nil {
		return nil, err
	}
	return &unary{
		rpc:    called,
		answer: metodo.Descriptor.Output().Fields().ByName(protoreflect.Name(rule.GetResponseBody())),
	}, nil
}

func (u *unary) serve(w http.ResponseWriter, r *http.Request, call *Call) error {
	request, err := u.read(call)
	if err != nil {
		return err
	}
	response := u.response.New()
	ctx := metadata.NewOutgoingContext(r.Context(), call.Metadata)
	err = u.conn.Invoke(ctx, u.route.RPC, request.Interface(), response.Interface(), grpc.ForceCodecV2(protobuf))
	if err != nil {
		return err
	}
	return u.write(w, response)
}

// ordinaryAnswer holds most answers without growing.
const ordinaryAnswer = 512

// write sets the memory aside at once: a large answer that grew would be there twice.
func (u *unary) write(w http.ResponseWriter, response protoreflect.Message) error {
	status := u.route.statusOf(response.Interface())
	if u.answer != nil {
		response = response.Get(u.answer).Message()
	}
	size := ordinaryAnswer + proto.Size(response.Interface())*3/2
	body, err := jsonwire.Append(make([]byte, 0, size), response.Interface())
	if err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// A client that has gone cannot be told anything.
	_, _ = w.Write(body)
	return nil
}
