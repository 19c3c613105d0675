package rpc

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/process/header"
)

func TestClient_boundsCallsWithoutDeadline(t *testing.T) {
	var left time.Duration
	f := serve(t, ServerConfig{}, ServerParts{}, &stub{ping: func(ctx context.Context) error {
		deadline, ok := ctx.Deadline()
		if !ok {
			return errors.New("no deadline")
		}
		left = time.Until(deadline)
		return nil
	}})

	_, err := f.registros(t).Ping(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if left <= 0 || left > defaultDeadline {
		t.Errorf("default deadline: %s left", left)
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	_, err = f.registros(t).Ping(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if left <= defaultDeadline {
		t.Errorf("a deadline of an hour became %s", left)
	}
}

func TestClient_aPassedDeadlineHasItsReason(t *testing.T) {
	f := serve(t, ServerConfig{}, ServerParts{}, &stub{ping: func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}})
	client := registrosv1.NewRegistroServiceClient(f.dial(t, ClientConfig{Deadline: 20 * time.Millisecond}))

	_, err := client.Ping(context.Background(), nil)

	if !errs.Is(err, errores.TiempoAgotado) {
		t.Errorf("%v", err)
	}
}

func TestClient_aCanceledCallStaysCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := serve(t, ServerConfig{}, ServerParts{}, &stub{ping: func(inner context.Context) error {
		cancel()
		<-inner.Done()
		return inner.Err()
	}})

	_, err := f.registros(t).Ping(ctx, nil)

	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestClient_anAbsentServiceIsNotAvailable(t *testing.T) {
	conn, err := Dial("passthrough:///nowhere", ClientConfig{Options: []grpc.DialOption{
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return nil, errors.New("refused") }),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	_, err = registrosv1.NewRegistroServiceClient(conn).Ping(t.Context(), nil)
	if !errs.Is(err, errores.NoDisponible) {
		t.Errorf("unary: %v", err)
	}
	_, err = registrosv1.NewCasoServiceClient(conn).ListCasos(t.Context(), nil)
	if !errs.Is(err, errores.NoDisponible) {
		t.Errorf("stream: %v", err)
	}
}

func TestClient_carriesTheRequestID(t *testing.T) {
	var unary, stream string
	f := serve(t, ServerConfig{}, ServerParts{}, &stub{
		ping: func(ctx context.Context) error { unary = RequestID(ctx); return nil },
		casos: func(s grpc.ServerStreamingServer[registrosv1.ListCasosResponse]) error {
			stream = RequestID(s.Context())
			return nil
		},
	})
	conn := f.dial(t, ClientConfig{})
	ctx := WithRequestID(t.Context(), "from-the-edge")

	_, err := registrosv1.NewRegistroServiceClient(conn).Ping(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := registrosv1.NewCasoServiceClient(conn).ListCasos(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = list.Recv()
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if unary != "from-the-edge" || stream != "from-the-edge" {
		t.Errorf("unary %q, stream %q", unary, stream)
	}

	explicit := metadata.AppendToOutgoingContext(ctx, header.RequestID, "explicit")
	_, err = registrosv1.NewRegistroServiceClient(conn).Ping(explicit, nil)
	if err != nil || unary != "explicit" {
		t.Errorf("explicit id: %q %v", unary, err)
	}
}

func TestClient_repeatsOnlyWhatIsIdempotent(t *testing.T) {
	for name, tt := range map[string]struct {
		idempotent []string
		refusal    error
		want       int32
	}{
		"not named":                  {nil, errs.New(errores.NoDisponible, "x"), 1},
		"named, not available":       {[]string{pingRPC}, errs.New(errores.NoDisponible, "x"), 3},
		"named, refused for a cause": {[]string{pingRPC}, errs.New(errores.Conflicto, "x"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			f := serve(t, ServerConfig{}, ServerParts{}, &stub{ping: func(context.Context) error {
				if calls.Add(1) < 3 {
					return tt.refusal
				}
				return nil
			}})
			client := registrosv1.NewRegistroServiceClient(f.dial(t, ClientConfig{Idempotent: tt.idempotent}))

			_, err := client.Ping(t.Context(), nil)

			if calls.Load() != tt.want || (err == nil) != (tt.want == 3) {
				t.Errorf("%d calls, %v; want %d", calls.Load(), err, tt.want)
			}
		})
	}
}

type tokenCredentials struct{}

func (tokenCredentials) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer token"}, nil
}

func (tokenCredentials) RequireTransportSecurity() bool { return false }

var _ credentials.PerRPCCredentials = tokenCredentials{}

func TestClient_sendsItsCredentials(t *testing.T) {
	var got []string
	f := serve(t, ServerConfig{}, ServerParts{}, &stub{ping: func(ctx context.Context) error {
		got = metadata.ValueFromIncomingContext(ctx, "authorization")
		return nil
	}})
	_, err := registrosv1.NewRegistroServiceClient(f.dial(t, ClientConfig{Credentials: tokenCredentials{}})).Ping(t.Context(), nil)
	if err != nil || len(got) != 1 || got[0] != "Bearer token" {
		t.Errorf("%v %v", got, err)
	}
}

func TestClient_countsCallsOfAllConnectionsTogether(t *testing.T) {
	registry := prometheus.NewRegistry()
	impl := &stub{casos: func(stream grpc.ServerStreamingServer[registrosv1.ListCasosResponse]) error {
		return stream.Send(&registrosv1.ListCasosResponse{})
	}}
	f := serve(t, ServerConfig{}, ServerParts{}, impl)
	for range 2 {
		conn := f.dial(t, ClientConfig{Metrics: registry})
		_, err := registrosv1.NewRegistroServiceClient(conn).Ping(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := registrosv1.NewCasoServiceClient(conn).ListCasos(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = list.Recv()
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
	if got, want := counts(t, registry, "grpc_client_calls_total"), map[string]int{"OK " + casosRPC: 2, "OK " + pingRPC: 2}; !maps.Equal(got, want) {
		t.Errorf("metrics %v", got)
	}
}
