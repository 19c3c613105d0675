package rpc

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	protobuf "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

const (
	// arrival is how long the message of a call may take between two of our machines.
	arrival = 10 * time.Second
	// maxArriving is how many calls a server has whose message has not arrived, each of which may
	// have sent streamWindow already; arrivingShare is how many of one address, more than one
	// connection carries.
	maxArriving   = 2048
	arrivingShare = maxStreams + 24
)

// Bounds are what a request may be and take to arrive, within what its method may.
type Bounds struct {
	// Bytes is the size of the message. A larger one is refused by what it announces, before it is
	// taken off the wire. Zero: what the proto of the method allows.
	Bytes int
	// Time is how long the message may take to arrive, so that nobody holds what was set
	// aside for it by sending slowly. Zero: 10 s.
	Time time.Duration
}

type boundsKey struct{}

// WithBounds bounds the request of the call of ctx. A [Layer] calls it.
func WithBounds(ctx context.Context, bounds Bounds) context.Context {
	return context.WithValue(ctx, boundsKey{}, bounds)
}

// atOnce is the context of who does not wait.
var atOnce = func() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 0)
	cancel()
	return ctx
}()

type arrivedKey struct{}

// admit counts a call from its metadata until its message has arrived, or it has ended. It runs
// before there is a goroutine for the call: those that wait for one have sent as much as the others.
func (s *Server) admit(ctx context.Context, _ *tap.Info) (context.Context, error) {
	permit, err := s.arriving.Take(atOnce, addressOf(ctx), 1)
	if err != nil {
		refusal := errs.Wrap(err, errores.NoDisponible, errores.DetalleNoDisponible).After(time.Second)
		return ctx, errs.ToStatus(refusal).Err()
	}
	unwatch := context.AfterFunc(ctx, permit.Leave)
	return context.WithValue(ctx, arrivedKey{}, func() {
		if unwatch() {
			permit.Leave()
		}
	}), nil
}

func addressOf(ctx context.Context) string {
	from, ok := peer.FromContext(ctx)
	if !ok {
		return ""
	}
	host, _, err := net.SplitHostPort(from.Addr.String())
	if err != nil {
		return from.Addr.String() // of a connection without ports
	}
	return host
}

// codec is gRPC's own, for the messages that are read here.
var codec = encoding.GetCodecV2(protobuf.Name)

// transport is what lies below gRPC's own stream. gRPC has one limit of messages for a whole server,
// and reads a message that is within it before anybody sees its size; so the stream is read here.
type transport interface {
	// ReadMessageHeader reads whether a message is compressed, a byte, and its length, four.
	ReadMessageHeader(header []byte) error
	Read(n int) (mem.BufferSlice, error)
	// WriteStatus ends the call, and with it a read that waits.
	WriteStatus(st *status.Status) error
}

// unreceived is a request that could not be read; that is between gRPC and the client.
type unreceived struct {
	error
}

func (u *unreceived) Unwrap() error { return u.error }

// RecvMsg receives the request within the bounds that its method and a layer have set. Until then
// the client can send no more than streamWindow.
func (s *layeredStream) RecvMsg(message any) error {
	arrived, counted := s.ctx.Value(arrivedKey{}).(func())
	if counted {
		defer arrived()
	}
	if s.limit == 0 {
		err := s.ServerStream.RecvMsg(message)
		if err == nil || errors.Is(err, io.EOF) {
			return err
		}
		return &unreceived{err}
	}
	bounds, _ := s.ctx.Value(boundsKey{}).(Bounds)
	limit, wait := min(s.limit, cmp.Or(bounds.Bytes, s.limit)), cmp.Or(bounds.Time, arrival)
	late := errs.New(errores.TiempoAgotado, fmt.Sprintf("El mensaje no llegó completo en %s.", wait))
	stream := grpc.ServerTransportStreamFromContext(s.ServerStream.Context()).(transport)
	timer := time.AfterFunc(wait, func() {
		// Nothing can be done about a client that is gone.
		_ = stream.WriteStatus(errs.ToStatus(late))
	})
	data, err := receive(stream, limit)
	if !timer.Stop() {
		data.Free()
		return late
	}
	if err != nil {
		return err
	}
	defer data.Free()
	err = codec.Unmarshal(data, message)
	if err != nil {
		return &unreceived{status.Errorf(codes.Internal, "read message: %v", err)}
	}
	return nil
}

// receive reads the one message of a call, once it is known to be small enough.
func receive(stream transport, limit int) (mem.BufferSlice, error) {
	var header [5]byte
	err := stream.ReadMessageHeader(header[:])
	if err != nil {
		return nil, broken(err)
	}
	if header[0] != 0 {
		return nil, &unreceived{status.Error(codes.Unimplemented, "compressed messages are not read")}
	}
	length := binary.BigEndian.Uint32(header[1:])
	if int64(length) > int64(limit) {
		return nil, errs.New(errores.CuerpoDemasiadoGrande, "El mensaje es más grande de lo que la operación admite, o la llamada declaró.")
	}
	data, err := stream.Read(int(length))
	if err != nil {
		return nil, broken(err)
	}
	err = stream.ReadMessageHeader(header[:])
	if errors.Is(err, io.EOF) {
		return data, nil
	}
	data.Free()
	if err == nil {
		err = status.Error(codes.Internal, "the call has more than one message")
	}
	return nil, broken(err)
}

// broken is of a stream that ended too early; one that was canceled says so by its status.
func broken(err error) error {
	_, said := status.FromError(err)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		err = status.Error(codes.Internal, "the call has no whole message")
	case !said:
		err = status.Error(codes.Unavailable, "the connection broke")
	}
	return &unreceived{err}
}
