package rpc

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

func TestClient_spreadsCallsOverReplicasThatServe(t *testing.T) {
	var calls [2]atomic.Int32
	var broken atomic.Bool
	replica := func(i int) *fixture {
		parts := ServerParts{Ready: func(context.Context) error {
			if i == 1 && broken.Load() {
				return errors.New("no database")
			}
			return nil
		}}
		return serve(t, ServerConfig{HealthEvery: time.Millisecond}, parts, &stub{ping: func(context.Context) error {
			calls[i].Add(1)
			return nil
		}})
	}
	client := registrosv1.NewRegistroServiceClient(dialReplicas(t, map[string]*fixture{"a": replica(0), "b": replica(1)}))

	pingUntil(t, client, func() bool { return calls[0].Load() > 0 && calls[1].Load() > 0 })

	// Once it reports itself as not serving, the second replica gets no more calls: twenty
	// in a row reach the first.
	broken.Store(true)
	row := 0
	pingUntil(t, client, func() bool {
		row++
		if calls[1].Swap(0) > 0 {
			row = 0
		}
		return row == 20
	})
}

func pingUntil(t *testing.T, client registrosv1.RegistroServiceClient, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		_, err := client.Ping(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if done() {
			return
		}
	}
}

func dialReplicas(t *testing.T, replicas map[string]*fixture) *grpc.ClientConn {
	t.Helper()
	addresses := manual.NewBuilderWithScheme("replicas")
	var state resolver.State
	for name := range replicas {
		state.Endpoints = append(state.Endpoints, resolver.Endpoint{Addresses: []resolver.Address{{Addr: name}}})
	}
	addresses.InitialState(state)
	conn, err := Dial("replicas:///enlace", ClientConfig{Options: []grpc.DialOption{
		grpc.WithResolvers(addresses),
		grpc.WithContextDialer(func(ctx context.Context, name string) (net.Conn, error) {
			return replicas[name].listener.DialContext(ctx)
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}
