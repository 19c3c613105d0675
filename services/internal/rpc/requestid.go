package rpc

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/services/process/header"
	"github.com/enlace-iis/enlace/services/process/tracing"
)

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
		id = header.NewRequestID()
	}
	// A trailer, because a refusal that comes with a header is never repeated by a client's
	// retry policy. Setting it fails only once the call has ended.
	_ = grpc.SetTrailer(ctx, metadata.Pairs(header.RequestID, id))
	tracing.SetRequestID(ctx, id)
	return next(WithRequestID(ctx, id))
}

// incomingRequestID gives the caller's own id. One given twice counts as not given.
func incomingRequestID(ctx context.Context) (string, bool) {
	values := metadata.ValueFromIncomingContext(ctx, header.RequestID)
	if len(values) != 1 || !header.IsRequestID(values[0]) {
		return "", false
	}
	return values[0], true
}
