package rpc

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/process/header"
)

const defaultDeadline = 15 * time.Second

func unaryErrors(ctx context.Context, rpc string, req, resp any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	return errs.FromStatus(invoke(ctx, rpc, req, resp, conn, options...))
}

func (c ClientConfig) unaryDeadline(ctx context.Context, rpc string, req, resp any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	_, bounded := ctx.Deadline()
	if bounded {
		return invoke(ctx, rpc, req, resp, conn, options...)
	}
	limit := c.Deadline
	if limit <= 0 {
		limit = defaultDeadline
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return invoke(ctx, rpc, req, resp, conn, options...)
}

func unaryRequestID(ctx context.Context, rpc string, req, resp any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	return invoke(carryRequestID(ctx), rpc, req, resp, conn, options...)
}

func streamRequestID(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, rpc string, open grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
	return open(carryRequestID(ctx), desc, conn, rpc, options...)
}

// carryRequestID hands the request id on, so that one id finds a request in every log.
func carryRequestID(ctx context.Context) context.Context {
	id := RequestID(ctx)
	outgoing, _ := metadata.FromOutgoingContext(ctx)
	if id == "" || len(outgoing.Get(header.RequestID)) > 0 {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, header.RequestID, id)
}

func (m *metrics) unaryClient(ctx context.Context, rpc string, req, resp any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	started := time.Now()
	err := invoke(ctx, rpc, req, resp, conn, options...)
	m.observe(rpc, status.Code(err), time.Since(started))
	return err
}

func (m *metrics) streamClient(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, rpc string, open grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
	started := time.Now()
	stream, err := open(ctx, desc, conn, rpc, options...)
	if err != nil {
		m.observe(rpc, status.Code(err), time.Since(started))
		return nil, err
	}
	counted := &countedStream{ClientStream: stream, serverStreams: desc.ServerStreams}
	counted.finish = func(err error) {
		counted.once.Do(func() { m.observe(rpc, status.Code(err), time.Since(started)) })
	}
	return counted, nil
}

// countedStream counts a stream once, when the first receive reports its end. A stream
// that its caller abandons by canceling is counted at the receive that notices.
type countedStream struct {
	grpc.ClientStream
	serverStreams bool
	once          sync.Once
	finish        func(error)
}

func (s *countedStream) RecvMsg(message any) error {
	err := s.ClientStream.RecvMsg(message)
	switch {
	case errors.Is(err, io.EOF):
		s.finish(nil)
	case err != nil || !s.serverStreams:
		s.finish(err)
	}
	return err
}

func streamErrors(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, rpc string, open grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
	stream, err := open(ctx, desc, conn, rpc, options...)
	if err != nil {
		return nil, errs.FromStatus(err)
	}
	return &mappedStream{ClientStream: stream}, nil
}

// mappedStream gives a stream's errors their reasons back. io.EOF passes as it is.
type mappedStream struct {
	grpc.ClientStream
}

func (s *mappedStream) RecvMsg(message any) error {
	return errs.FromStatus(s.ClientStream.RecvMsg(message))
}

func (s *mappedStream) SendMsg(message any) error {
	return errs.FromStatus(s.ClientStream.SendMsg(message))
}

func (s *mappedStream) Header() (metadata.MD, error) {
	header, err := s.ClientStream.Header()
	return header, errs.FromStatus(err)
}
