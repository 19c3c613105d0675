package bench

import (
	"fmt"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

const pingPath = "/cliente/sandbox/ping"

// pings compares requests a second by HTTP and by gRPC.
func pings(s *session) {
	byGRPC := s.pingGRPC()
	for _, callers := range []int{1, 8, 32, 128} {
		name := fmt.Sprintf("c = %d", callers)
		s.rounds(name,
			side{ours, func() float64 { return s.rate(callers, func() { s.ours.post(pingPath, nil) }) }},
			side{bare, func() float64 { return s.rate(callers, byGRPC) }},
		)
		if callers == 32 {
			s.rounds(name, side{cpu, func() float64 { return s.cpuOfPing(callers) }})
		}
	}
}

// cpuOfPing gives the CPU of a ping by HTTP.
func (s *session) cpuOfPing(callers int) float64 {
	var calls atomic.Int64
	before := s.cpu(stack.Gateway, stack.Registros)
	s.rate(callers, func() {
		s.ours.post(pingPath, nil)
		calls.Add(1)
	})
	return (s.cpu(stack.Gateway, stack.Registros) - before) / float64(calls.Load())
}

// unchangedLists compares polls that find nothing new with pings.
func unchangedLists(s *session) {
	const path = "/cliente/casos"
	etag := s.ours.get(path, nil).Get("ETag")
	s.rounds("",
		side{ours, func() float64 { return s.rate(callers, func() { s.ours.getUnchanged(path, etag) }) }},
		side{"ping", func() float64 { return s.rate(callers, func() { s.ours.post(pingPath, nil) }) }},
	)
}

// pingGRPC gives the same call without the gateway.
func (s *session) pingGRPC() func() {
	conn, err := grpc.NewClient(s.system.Addresses().GRPCRegistros, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		s.tb.Fatal(err)
	}
	s.tb.Cleanup(func() { _ = conn.Close() })
	client := registrosv1.NewRegistroServiceClient(conn)
	ctx := metadata.AppendToOutgoingContext(s.tb.Context(), "x-api-key", s.empresa.ApiKey)
	return func() {
		_, err := client.Ping(ctx, &registrosv1.PingRequest{})
		if err != nil {
			s.tb.Error(err)
		}
	}
}
