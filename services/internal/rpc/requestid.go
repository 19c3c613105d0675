package rpc

import (
	"context"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/services/process/tracing"
)

// RequestIDKey is the metadata key that carries the request id in both directions.
const RequestIDKey = "x-request-id"

const maxRequestID = 128

type requestIDKey struct{}

// RequestID gives the id of the request that ctx belongs to, or "" outside of one.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// WithRequestID names the request that ctx belongs to; calls made with it carry the id on.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// identify keeps the caller's request id, or makes one, and tells it in the answer.
func identify(ctx context.Context, _ string, next func(context.Context) error) error {
	id, given := incomingRequestID(ctx)
	if !given {
		id = newRequestID()
	}
	// A trailer, because a refusal that comes with a header is never repeated by a client's
	// retry policy. Setting it fails only once the call has ended.
	_ = grpc.SetTrailer(ctx, metadata.Pairs(RequestIDKey, id))
	tracing.SetRequestID(ctx, id)
	return next(WithRequestID(ctx, id))
}

// incomingRequestID accepts 1 to 128 printable characters (contract, section 2). Anything
// else, and an id given twice, counts as not given: it would spoil the logs.
func incomingRequestID(ctx context.Context) (string, bool) {
	values := metadata.ValueFromIncomingContext(ctx, RequestIDKey)
	if len(values) != 1 || values[0] == "" || len(values[0]) > maxRequestID {
		return "", false
	}
	for _, char := range []byte(values[0]) {
		if char < ' ' || char > '~' {
			return "", false
		}
	}
	return values[0], true
}

// newRequestID makes a UUIDv7, so that ids sort by time.
func newRequestID() string {
	return uuid.Must(uuid.NewV7()).String()
}
