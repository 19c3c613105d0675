package rpc

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

func TestServer_stopWaitsForCallsAndThenCutsThem(t *testing.T) {
	t.Run("a call that ends in time is answered", func(t *testing.T) {
		entered, release := make(chan struct{}), make(chan struct{})
		f := serve(t, ServerConfig{}, ServerParts{}, &stub{ping: func(context.Context) error {
			close(entered)
			<-release
			return nil
		}})
		client := f.registros(t)
		answered := make(chan error, 1)
		go func() {
			_, err := client.Ping(context.Background(), nil)
			answered <- err
		}()
		<-entered
		stopped := make(chan error, 1)
		go func() { stopped <- f.server.Stop(context.Background()) }()
		close(release)
		if err := errors.Join(<-answered, <-stopped); err != nil {
			t.Error(err)
		}
	})
	t.Run("a call that does not end is cut", func(t *testing.T) {
		entered := make(chan struct{})
		f := serve(t, ServerConfig{}, ServerParts{}, &stub{ping: func(ctx context.Context) error {
			close(entered)
			<-ctx.Done()
			return ctx.Err()
		}})
		client := f.registros(t)
		answered := make(chan error, 1)
		go func() {
			_, err := client.Ping(context.Background(), nil)
			answered <- err
		}()
		<-entered
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		err := f.server.Stop(ctx)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("stop: %v", err)
		}
		if err := <-answered; !errs.Is(err, errores.NoDisponible) {
			t.Errorf("answer: %v", err)
		}
	})
}

func TestServer_takesCallsWhileItsClientsLeave(t *testing.T) {
	f := serve(t, ServerConfig{StopDelay: time.Minute}, ServerParts{}, &stub{})
	// One that does not watch health.
	conn, err := grpc.NewClient("passthrough:///enlace", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return f.listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	drained := make(chan struct{})
	go func() {
		f.server.drain()
		close(drained)
	}()
	health := healthv1.NewHealthClient(conn)
	for verdict := healthv1.HealthCheckResponse_SERVING; verdict == healthv1.HealthCheckResponse_SERVING; {
		answer, err := health.Check(t.Context(), &healthv1.HealthCheckRequest{})
		if err != nil {
			t.Fatal(err)
		}
		verdict = answer.GetStatus()
	}

	_, err = registrosv1.NewRegistroServiceClient(conn).Ping(t.Context(), nil)

	if err != nil {
		t.Errorf("ping: %v", err)
	}
	err = f.server.Stop(t.Context())
	if err != nil {
		t.Errorf("stop: %v", err)
	}
	<-drained
}
