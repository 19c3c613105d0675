package routes

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
)

// A stream is what serving a streaming RPC takes, whatever becomes of its messages.
type stream struct {
	rpc
	cfg Config
}

// errNoFirstChunk cancels a stream whose first message does not come.
var errNoFirstChunk = errors.New("no first chunk in time")

// begin calls the RPC and waits for its first message, which it reads into first; ended tells
// that there is none.
func (s stream) begin(ctx context.Context, cancel context.CancelCauseFunc, call *Call, request protoreflect.Message, first any) (messages grpc.ClientStream, ended bool, err error) {
	timer := time.AfterFunc(s.cfg.FirstChunkTimeout, func() { cancel(errNoFirstChunk) })
	defer timer.Stop()
	messages, err = s.open(ctx, call, request)
	if err == nil {
		err = messages.RecvMsg(first)
	}
	switch {
	case errors.Is(context.Cause(ctx), errNoFirstChunk):
		return nil, false, httperr.TimedOut()
	case errors.Is(err, io.EOF):
		return messages, true, nil
	default:
		return messages, false, err
	}
}

func (s stream) open(ctx context.Context, call *Call, request protoreflect.Message) (grpc.ClientStream, error) {
	ctx = metadata.NewOutgoingContext(ctx, call.Metadata)
	messages, err := s.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, s.route.RPC, grpc.ForceCodecV2(protobuf))
	if err != nil {
		return nil, err
	}
	// A failed send is told by what RecvMsg returns.
	err = messages.SendMsg(request.Interface())
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return messages, messages.CloseSend()
}
