//go:build linux && floods

package floods

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	encodingproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
)

// callers is how many connections a flood has with each service.
const callers = 12

func services() []string {
	return []string{system.Addresses().GRPCRegistros, system.Addresses().GRPCIntegracion}
}

// beginMessages sends the largest messages that gRPC allows to what is open to all.
func beginMessages(ctx context.Context, t *testing.T, seen *tally) func() {
	message := mem.SliceBuffer(bytes.Repeat([]byte{0x0a, 0x7e}, 31<<19)) // a field of 126 bytes, over and over
	var calling sync.WaitGroup
	for _, address := range services() {
		for range callers {
			conn, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()),
				grpc.WithContextDialer(func(ctx context.Context, to string) (net.Conn, error) { return stranger.DialContext(ctx, "tcp", to) }))
			if err != nil {
				t.Fatal(err)
			}
			calling.Go(func() {
				defer func() { _ = conn.Close() }()
				for ctx.Err() == nil {
					err := conn.Invoke(ctx, accesov1.AccesoService_CheckAcceso_FullMethodName, message, &accesov1.CheckAccesoResponse{},
						grpc.ForceCodecV2(rawCodec{encoding.GetCodecV2(encodingproto.Name)}), grpc.MaxCallSendMsgSize(32<<20))
					if ctx.Err() != nil {
						return
					}
					answer := cut
					if status.Code(err) == codes.InvalidArgument {
						answer = http.StatusRequestEntityTooLarge
					}
					seen.add(answer)
					pause(ctx, answer)
				}
			})
		}
	}
	return calling.Wait
}

// rawCodec sends a message that is encoded already.
type rawCodec struct{ encoding.CodecV2 }

func (rawCodec) Marshal(message any) (mem.BufferSlice, error) {
	raw, ok := message.(mem.Buffer)
	if !ok {
		return nil, fmt.Errorf("%T is not encoded", message)
	}
	return mem.BufferSlice{raw}, nil
}

// unfinished is how many messages of a connection never come to their end.
const unfinished = 1000

// stranger is a machine that is not the gateway.
var stranger = &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}

// beginUnfinished sends nearly all of a message on each of very many streams, and nothing more.
func beginUnfinished(ctx context.Context, t *testing.T, seen *tally) func() {
	var conns []net.Conn
	var reading sync.WaitGroup
	for _, address := range services() {
		for range callers {
			conn, err := stranger.DialContext(ctx, "tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			conns = append(conns, conn)
			reading.Go(func() { sendUnfinished(conn, seen) })
		}
	}
	return func() {
		for _, conn := range conns {
			_ = conn.Close()
		}
		reading.Wait()
	}
}

// sendUnfinished heeds no window of the connection: each stream stays within its own, and what the
// server does about it is what is to be seen.
func sendUnfinished(conn net.Conn, seen *tally) {
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		_, _ = io.Copy(io.Discard, conn)
	}()
	defer func() { <-reading }()
	_, err := io.WriteString(conn, http2.ClientPreface)
	if err != nil {
		return
	}
	framer := http2.NewFramer(conn, nil)
	var block bytes.Buffer
	headers := hpack.NewEncoder(&block)
	part := make([]byte, 16<<10)
	binary.BigEndian.PutUint32(part[1:], 64<<10)
	_ = framer.WriteSettings()
	for stream := uint32(1); stream < 2*unfinished; stream += 2 {
		block.Reset()
		for _, field := range []string{":method POST", ":scheme http", ":path " + accesov1.AccesoService_CheckAcceso_FullMethodName,
			":authority x", "content-type application/grpc", "te trailers"} {
			name, value, _ := strings.Cut(field, " ")
			_ = headers.WriteField(hpack.HeaderField{Name: name, Value: value})
		}
		err = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true})
		for n := 0; n < 3 && err == nil; n++ {
			err = framer.WriteData(stream, false, part)
		}
		if err != nil {
			return
		}
		seen.add(cut)
	}
}
