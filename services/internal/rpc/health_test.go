package rpc

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/process"
)

func TestHealth_followsReadiness(t *testing.T) {
	var broken atomic.Bool
	f := serve(t, ServerConfig{HealthEvery: time.Millisecond}, ServerParts{Ready: func(context.Context) error {
		if broken.Load() {
			return errors.New("no database")
		}
		return nil
	}}, &stub{})
	watch, err := healthv1.NewHealthClient(f.dial(t, ClientConfig{})).Watch(t.Context(), &healthv1.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	expect := func(want healthv1.HealthCheckResponse_ServingStatus) {
		t.Helper()
		got, err := watch.Recv()
		if err != nil || got.GetStatus() != want {
			t.Fatalf("%v %v, want %s", got, err, want)
		}
	}

	expect(healthv1.HealthCheckResponse_SERVING)
	broken.Store(true)
	expect(healthv1.HealthCheckResponse_NOT_SERVING)
	broken.Store(false)
	expect(healthv1.HealthCheckResponse_SERVING)
	if len(f.log.of(t, "not ready")) == 0 {
		t.Error("nothing in the log")
	}
}

func TestHealth_clientsLeaveAServerThatIsNotReady(t *testing.T) {
	f := serve(t, ServerConfig{}, ServerParts{Ready: func(context.Context) error { return errors.New("no database") }}, &stub{})

	_, err := f.registros(t).Ping(t.Context(), nil)

	if !errs.Is(err, errores.NoDisponible) {
		t.Errorf("%v", err)
	}
	if calls := f.log.of(t, "rpc"); len(calls) > 0 && calls[0]["rpc"] == pingRPC {
		t.Error("the call reached the server")
	}
}

// A client that watches health holds a stream open. It must not hold the server back.
func TestHealth_watchersDoNotDelayTheStop(t *testing.T) {
	f := serve(t, ServerConfig{}, ServerParts{}, &stub{})
	conn := f.dial(t, ClientConfig{})
	_, err := registrosv1.NewRegistroServiceClient(conn).Ping(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = f.server.Stop(ctx)
	if err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestHealth_aStoppingServerSendsItsWatchersAway(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	f := serve(t, ServerConfig{}, ServerParts{}, &stub{ping: func(context.Context) error {
		close(entered)
		<-release
		return nil
	}})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	watch, err := healthv1.NewHealthClient(f.dial(t, ClientConfig{})).Watch(ctx, &healthv1.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := watch.Recv()
	if err != nil || first.GetStatus() != healthv1.HealthCheckResponse_SERVING {
		t.Fatalf("%v %v", first, err)
	}
	client := f.registros(t)
	answered, stopped := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := client.Ping(context.Background(), nil)
		answered <- err
	}()
	<-entered

	go func() { stopped <- f.server.Stop(context.Background()) }()
	second, err := watch.Recv()

	if err != nil || second.GetStatus() != healthv1.HealthCheckResponse_NOT_SERVING {
		t.Errorf("%v %v", second, err)
	}
	leave()
	close(release)
	if err := errors.Join(<-answered, <-stopped); err != nil {
		t.Error(err)
	}
}

func TestHealth_plainStatusesPass(t *testing.T) {
	f := serve(t, ServerConfig{}, ServerParts{}, &stub{})
	_, err := healthv1.NewHealthClient(f.dial(t, ClientConfig{})).Check(t.Context(), &healthv1.HealthCheckRequest{Service: "unknown"})
	if status.Code(errors.Unwrap(err)) != codes.NotFound {
		t.Errorf("%v", err)
	}
}

func TestReflection_onlyInDevelopment(t *testing.T) {
	for appEnv, want := range map[string]codes.Code{"development": codes.OK, "production": codes.Unimplemented, "": codes.Unimplemented} {
		f := serve(t, ServerConfig{Installation: process.Installation{AppEnv: appEnv}}, ServerParts{}, &stub{})
		stream, err := reflectionv1.NewServerReflectionClient(f.dial(t, ClientConfig{})).ServerReflectionInfo(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// The outcome of a send is unsure when the server refuses the stream; the receive tells.
		_ = stream.Send(&reflectionv1.ServerReflectionRequest{MessageRequest: &reflectionv1.ServerReflectionRequest_ListServices{}})
		_, err = stream.Recv()
		if status.Code(err) != want {
			t.Errorf("APP_ENV %q: %v, want %s", appEnv, err, want)
		}
	}
}
