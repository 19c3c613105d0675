package grpcclient

import (
	"context"
	"net"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// replica is a service that refuses its first calls as a restarting one does.
type replica struct {
	health  *health.Server
	address string
	refuses atomic.Int32 // how many calls are still to be refused
	calls   atomic.Int32
}

func start(t *testing.T) *replica {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &replica{health: health.NewServer(), address: listener.Addr().String()}
	server := grpc.NewServer(grpc.UnaryInterceptor(r.try))
	healthv1.RegisterHealthServer(server, r.health)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return r
}

func (r *replica) try(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	r.calls.Add(1)
	if r.refuses.Add(-1) >= 0 {
		return nil, status.Error(codes.Unavailable, "restarting")
	}
	return handle(ctx, req)
}

// call makes one call over a connection of its own.
func (r *replica) call(t *testing.T, repeatable ...string) error {
	t.Helper()
	conn, err := Dial("dns:///"+r.address, insecure.NewCredentials(), repeatable)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, err = healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{})
	return err
}

func TestDial_repeatsWhatIsNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		repeatable []string
		refuses    int32
		want       codes.Code
		calls      int32
	}{
		"named":             {[]string{healthv1.Health_Check_FullMethodName}, 2, codes.OK, 3},
		"named, no end":     {[]string{healthv1.Health_Check_FullMethodName}, 100, codes.Unavailable, 4},
		"another is named":  {[]string{healthv1.Health_List_FullMethodName}, 2, codes.Unavailable, 1},
		"nothing is named":  {nil, 2, codes.Unavailable, 1},
		"nothing to repeat": {[]string{healthv1.Health_Check_FullMethodName}, 0, codes.OK, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			r.refuses.Store(tt.refuses)
			err := r.call(t, tt.repeatable...)
			if status.Code(err) != tt.want || r.calls.Load() != tt.calls {
				t.Errorf("%v after %d calls, want %v after %d", err, r.calls.Load(), tt.want, tt.calls)
			}
		})
	}
}

func TestDial_leavesOutAReplicaThatDoesNotServe(t *testing.T) {
	r := start(t)
	r.health.SetServingStatus("", healthv1.HealthCheckResponse_NOT_SERVING)
	err := r.call(t)
	if status.Code(err) != codes.Unavailable || r.calls.Load() != 0 {
		t.Errorf("%v after %d calls", err, r.calls.Load())
	}
}

func TestDial_refusesAMethodThatIsNone(t *testing.T) {
	_, err := Dial("dns:///localhost:1", insecure.NewCredentials(), []string{"Ping"})
	if err == nil {
		t.Error("accepted")
	}
}
