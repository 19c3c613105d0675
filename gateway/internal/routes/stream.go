package routes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"github.com/grpc-ecosystem/grpc-gateway/v2/utilities"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	protobuf "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
)

// StreamConfig bounds the routes that stream.
type StreamConfig struct {
	// FirstChunkTimeout bounds the wait for the first message.
	FirstChunkTimeout time.Duration
	// WriteTimeout bounds one write: a reader that stops reading is cut.
	WriteTimeout time.Duration
}

// A stream is the part of serving a streaming RPC that lists and files share. The generated
// handler would put each message on a line of its own, in an envelope.
type stream struct {
	mux      *runtime.ServeMux
	route    *Route
	conn     *grpc.ClientConn
	cfg      StreamConfig
	request  protoreflect.MessageType
	response protoreflect.MessageType
}

// server writes the messages of a stream as the body of an answer.
type server interface {
	serve(w http.ResponseWriter, r *http.Request, call *Call, request proto.Message) error
}

func newStream(mux *runtime.ServeMux, route *Route, conn *grpc.ClientConn, cfg StreamConfig) (runtime.HandlerFunc, error) {
	s := stream{mux: mux, route: route, conn: conn, cfg: cfg}
	var err error
	s.request, err = protoregistry.GlobalTypes.FindMessageByName(route.descriptor.Input().FullName())
	if err != nil {
		return nil, fmt.Errorf("find request: %w", err)
	}
	s.response, err = protoregistry.GlobalTypes.FindMessageByName(route.descriptor.Output().FullName())
	if err != nil {
		return nil, fmt.Errorf("find response: %w", err)
	}
	var kind server
	if route.File {
		kind, err = newFile(s)
	} else {
		kind, err = newList(s)
	}
	return func(w http.ResponseWriter, r *http.Request, parameters map[string]string) {
		s.answer(kind, w, r, parameters)
	}, err
}

// answer does what a generated handler does before it calls: metadata and request.
func (s stream) answer(kind server, w http.ResponseWriter, r *http.Request, parameters map[string]string) {
	in, out := runtime.MarshalerForRequest(s.mux, r)
	ctx, err := runtime.AnnotateContext(r.Context(), s.mux, r, s.route.RPC, runtime.WithHTTPPathPattern(s.route.Pattern))
	if err != nil {
		ctx = r.Context()
	}
	call := r.Body.(*Call)
	var request proto.Message
	if err == nil {
		request, err = s.read(in, call, r.URL, parameters)
	}
	if err == nil {
		err = kind.serve(w, r.WithContext(ctx), call, request)
	}
	if err != nil {
		runtime.HTTPError(ctx, s.mux, out, w, r, err)
	}
}

// read makes the request of the body, the path and the query.
func (s stream) read(in runtime.Marshaler, call *Call, address *url.URL, parameters map[string]string) (proto.Message, error) {
	request := s.request.New().Interface()
	if s.route.Body != NoBody {
		err := in.NewDecoder(call).Decode(request)
		if err != nil {
			return nil, err
		}
	}
	for name, value := range parameters {
		err := runtime.PopulateFieldFromPath(request, name, value)
		if err != nil {
			return nil, err
		}
	}
	if address.RawQuery == "" {
		return request, nil
	}
	return request, runtime.PopulateQueryParameters(request, address.Query(), utilities.NewDoubleArray(nil))
}

// errNoFirstChunk cancels a stream whose first message does not come.
var errNoFirstChunk = errors.New("no first chunk in time")

// begin calls the RPC and waits for its first message, which it reads into first; ended reports
// that there is none.
func (s stream) begin(ctx context.Context, cancel context.CancelCauseFunc, call *Call, request proto.Message, first any) (messages grpc.ClientStream, ended bool, err error) {
	timer := time.AfterFunc(s.cfg.FirstChunkTimeout, func() { cancel(errNoFirstChunk) })
	defer timer.Stop()
	messages, err = s.open(ctx, request)
	if err == nil {
		err = messages.RecvMsg(first)
	}
	switch {
	case errors.Is(context.Cause(ctx), errNoFirstChunk):
		return nil, false, httperr.TimedOut()
	case err != nil && !errors.Is(err, io.EOF):
		return messages, false, err
	}
	timer.Stop()
	if call.Begin != nil {
		refused := call.Begin(ctx)
		if refused != nil {
			return nil, false, refused
		}
	}
	return messages, err != nil, nil
}

func (s stream) open(ctx context.Context, request proto.Message) (grpc.ClientStream, error) {
	messages, err := s.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, s.route.RPC, grpc.ForceCodecV2(encodedCodec{encoding.GetCodecV2(protobuf.Name)}))
	if err != nil {
		return nil, err
	}
	// A failed send is told by what RecvMsg returns.
	err = messages.SendMsg(request)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return messages, messages.CloseSend()
}

// encoded takes a message as it came: a list writes rows as JSON without decoding them first.
// Receiving the next message into it uses its memory again.
type encoded []byte

// encodedCodec is protobuf that leaves encoded as it is.
type encodedCodec struct {
	encoding.CodecV2
}

func (c encodedCodec) Unmarshal(data mem.BufferSlice, message any) error {
	kept, ok := message.(*encoded)
	if !ok {
		return c.CodecV2.Unmarshal(data, message)
	}
	*kept = (*kept)[:0]
	for _, piece := range data {
		*kept = append(*kept, piece.ReadOnlyData()...)
	}
	return nil
}
