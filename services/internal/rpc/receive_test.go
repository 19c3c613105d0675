package rpc

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

const loteRPC = registrosv1.RegistroService_SaveLote_FullMethodName

// bounding is a layer that bounds every request but those of the infrastructure: a client whose
// watch of the health were cut off would see a server that is not well.
func bounding(bounds Bounds) Layer {
	return func(ctx context.Context, rpc string, next func(context.Context) error) error {
		if infrastructure(rpc) {
			return next(ctx)
		}
		return next(WithBounds(ctx, bounds))
	}
}

// loteOf is a batch of about that many bytes.
func loteOf(size int) *registrosv1.SaveLoteRequest {
	return &registrosv1.SaveLoteRequest{Registros: []*registrosv1.Registro{{Folio: strings.Repeat("x", size)}}}
}

// countedConn counts what a client sends.
type countedConn struct {
	net.Conn
	sent *atomic.Int64
}

func (c countedConn) Write(p []byte) (int, error) {
	c.sent.Add(int64(len(p)))
	return c.Conn.Write(p)
}

// What nobody may send is not even taken off the wire.
func TestServer_aRefusedCallIsNotRead(t *testing.T) {
	refuse := func(ctx context.Context, rpc string, next func(context.Context) error) error {
		if infrastructure(rpc) {
			return next(ctx)
		}
		return errs.New(errores.CredencialAusente, "No.")
	}
	f := serve(t, ServerConfig{}, ServerParts{Layers: []Layer{refuse}}, &stub{})
	var sent atomic.Int64
	conn, err := Dial("passthrough:///enlace", ClientConfig{Options: []grpc.DialOption{
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			conn, err := f.listener.DialContext(ctx)
			return countedConn{conn, &sent}, err
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	_, err = registrosv1.NewRegistroServiceClient(conn).SaveLote(t.Context(), loteOf(8<<20))

	if !errs.Is(err, errores.CredencialAusente) {
		t.Errorf("%v", err)
	}
	if got := sent.Load(); got == 0 || got > 2*streamWindow {
		t.Errorf("the server took %d bytes of a call that it refused", got)
	}
}

func TestServer_boundsARequest(t *testing.T) {
	reached := false
	f := serve(t, ServerConfig{}, ServerParts{Layers: []Layer{bounding(Bounds{Bytes: 1 << 20, Time: time.Minute})}},
		&stub{lote: func(*registrosv1.SaveLoteRequest) error { reached = true; return nil }})

	_, err := f.registros(t).SaveLote(t.Context(), loteOf(1<<20-64))
	if err != nil || !reached {
		t.Errorf("within the bound: %v", err)
	}
	reached = false
	_, err = f.registros(t).SaveLote(t.Context(), loteOf(1<<20))
	if !errs.Is(err, errores.CuerpoDemasiadoGrande) || reached {
		t.Errorf("beyond it: %v, reached %v", err, reached)
	}
}

func TestServer_waitsForARequestNoLongerThanItMay(t *testing.T) {
	f := serve(t, ServerConfig{}, ServerParts{Layers: []Layer{bounding(Bounds{Bytes: 1, Time: time.Millisecond})}}, &stub{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stream, err := f.dial(t, ClientConfig{}).NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, loteRPC)
	if err != nil {
		t.Fatal(err)
	}

	err = stream.RecvMsg(&registrosv1.SaveLoteResponse{})

	if !errs.Is(err, errores.TiempoAgotado) {
		t.Errorf("a client that sends nothing: %v", err)
	}
}

// A client's broken message is nothing that an operator must mend.
func TestServer_aRequestThatCannotBeReadIsLoggedQuietly(t *testing.T) {
	f := serve(t, ServerConfig{}, ServerParts{}, &stub{})

	err := f.dial(t, ClientConfig{}).Invoke(t.Context(), loteRPC,
		&registrosv1.PingResponse{Mensaje: "not a Registro"}, &registrosv1.SaveLoteResponse{})

	if err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	// The answer leaves before the call is over.
	err = f.server.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// What the client watches has ended too, and has a line of its own.
	lines := slices.DeleteFunc(f.log.of(t, "rpc"), func(line map[string]any) bool { return line["rpc"] != loteRPC })
	if len(lines) != 1 || lines[0]["level"] != "INFO" || lines[0]["code"] != "Internal" || lines[0]["motivo"] != nil {
		t.Errorf("log %v", lines)
	}
}
