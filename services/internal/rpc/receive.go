package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/proto/jsonwire"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// Bounds are what a request may be and take to arrive.
type Bounds struct {
	// Bytes is the size of the message. A larger one is refused before it is decoded, which
	// is what takes most memory.
	Bytes int
	// Time is how long the message may take to arrive, so that nobody holds what was set
	// aside for it by sending slowly.
	Time time.Duration
}

type boundsKey struct{}

// WithBounds bounds the request of the call of ctx. A [Layer] calls it.
func WithBounds(ctx context.Context, bounds Bounds) context.Context {
	return context.WithValue(ctx, boundsKey{}, bounds)
}

// unreceived is a request that gRPC could not read. It has answered the caller already.
type unreceived struct {
	error
}

func (u *unreceived) Unwrap() error { return u.error }

// RecvMsg receives a request within the bounds that a layer has set.
func (s *layeredStream) RecvMsg(message any) error {
	bounds, bounded := s.ctx.Value(boundsKey{}).(Bounds)
	if !bounded {
		return s.receive(message)
	}
	limited := &limitedMessage{message: message, limit: bounds.Bytes}
	received := make(chan error, 1)
	// It ends with the stream at the latest, and so when this call returns.
	go func() { received <- s.receive(limited) }()
	timer := time.NewTimer(bounds.Time)
	defer timer.Stop()
	select {
	case err := <-received:
		if err == nil && limited.refused {
			return errs.New(errores.CuerpoDemasiadoGrande, "El mensaje es más grande de lo que la llamada declaró.")
		}
		return err
	case <-timer.C:
		return errs.New(errores.TiempoAgotado, fmt.Sprintf("El mensaje no llegó completo en %s.", bounds.Time))
	}
}

func (s *layeredStream) receive(message any) error {
	err := s.ServerStream.RecvMsg(message)
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return &unreceived{err}
}

// limitedMessage is a message that is decoded only if it is small enough.
type limitedMessage struct {
	message any
	limit   int
	refused bool
}

// limitingCodec is a codec that heeds the limit of a limitedMessage, which is a batch and read in
// the faster way. What is too large is no error: gRPC would answer the caller itself,
// without a reason.
type limitingCodec struct {
	jsonwire.Codec
}

func newCodec() encoding.CodecV2 {
	return limitingCodec{jsonwire.NewCodec()}
}

func (c limitingCodec) Unmarshal(data mem.BufferSlice, message any) error {
	limited, ok := message.(*limitedMessage)
	if !ok {
		return c.Codec.Unmarshal(data, message)
	}
	limited.refused = data.Len() > limited.limit
	if limited.refused {
		return nil
	}
	return c.Codec.Unmarshal(data, limited.message)
}
