package rpc

import (
	"context"
	"time"

	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
)

// watchHealth keeps the health service true until ctx ends. Clients watch it and send
// their calls to replicas that serve.
func (s *Server) watchHealth(ctx context.Context) {
	ticker := time.NewTicker(s.healthEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.checkHealth(ctx)
		}
	}
}

// checkHealth has no effect once the server is stopping: health.Server ignores it then.
func (s *Server) checkHealth(ctx context.Context) {
	verdict := healthv1.HealthCheckResponse_SERVING
	err := s.askReady(ctx)
	if err != nil {
		verdict = healthv1.HealthCheckResponse_NOT_SERVING
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s.log.WarnContext(ctx, "not ready", "error", err)
	}
	s.health.SetServingStatus("", verdict)
}

func (s *Server) askReady(ctx context.Context) error {
	if s.ready == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	return s.ready(ctx)
}
