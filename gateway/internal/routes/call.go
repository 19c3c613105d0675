package routes

import (
	"context"
	"io"

	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/gateway/internal/jsonwire"
)

// A Call is a request that edge has found in order, on its way to the RPC of its route.
type Call struct {
	Route       *Route
	Head        bool     // nothing but the headers is wanted
	IfNoneMatch []string // as received
	// Metadata is all that the service is told beside the message.
	Metadata metadata.MD
	// Body is the decompressed body. The message shares its memory, so it must not be
	// used again.
	Body []byte

	// Ignored names the unknown fields that a Lenient route passed over.
	Ignored []string
	// Aborted is why a list was cut after it had begun.
	Aborted error

	problem *jsonwire.Error // why Body could not be read
}

type callKey struct{}

// WithCall makes ctx carry the call to the mux.
func WithCall(ctx context.Context, call *Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

func callOf(ctx context.Context) *Call {
	return ctx.Value(callKey{}).(*Call)
}

// Reader is the call as the body of a request: the marshaler recognises it and takes the
// bytes; to anybody else it is empty.
func (c *Call) Reader() io.ReadCloser {
	return callReader{call: c}
}

type callReader struct {
	call *Call
}

func (callReader) Read([]byte) (int, error) { return 0, io.EOF }
func (callReader) Close() error             { return nil }
