package routes

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// conn answers a health check as a function says.
type conn struct {
	grpc.ClientConnInterface

	check func(context.Context) (healthv1.HealthCheckResponse_ServingStatus, error)
}

func (c conn) Invoke(ctx context.Context, _ string, _, reply any, _ ...grpc.CallOption) error {
	verdict, err := c.check(ctx)
	reply.(*healthv1.HealthCheckResponse).Status = verdict
	return err
}

func TestHealth(t *testing.T) {
	says := func(verdict healthv1.HealthCheckResponse_ServingStatus, err error) conn {
		return conn{check: func(context.Context) (healthv1.HealthCheckResponse_ServingStatus, error) { return verdict, err }}
	}
	serving := says(healthv1.HealthCheckResponse_SERVING, nil)
	notServing := says(healthv1.HealthCheckResponse_NOT_SERVING, nil)
	unknown := says(healthv1.HealthCheckResponse_UNKNOWN, nil)
	down := says(0, status.Error(codes.Unavailable, "x"))
	hung := conn{check: func(ctx context.Context) (healthv1.HealthCheckResponse_ServingStatus, error) {
		<-ctx.Done()
		return 0, errors.New("hung")
	}}
	const ok, bad = `{"estado":"ok",`, `{"estado":"degradado",`
	tests := []struct {
		name                   string
		registros, integracion conn
		status                 int
		body                   string
	}{
		{"both serve", serving, serving, 200, ok + `"componentes":{"registros":"ok","integracion":"ok"}}`},
		{"one does not", notServing, serving, 503, bad + `"componentes":{"registros":"caido","integracion":"ok"}}`},
		{"the other is down", serving, down, 503, bad + `"componentes":{"registros":"ok","integracion":"caido"}}`},
		{"neither says", unknown, down, 503, bad + `"componentes":{"registros":"caido","integracion":"caido"}}`},
		{"both hang", hung, hung, 503, bad + `"componentes":{"registros":"caido","integracion":"caido"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := httptest.NewRecorder()
				Health(tt.registros, tt.integracion).ServeHTTP(rec, httptest.NewRequest("GET", "/health", nil))
				if rec.Code != tt.status || rec.Body.String() != tt.body {
					t.Errorf("got %d %s, want %d %s", rec.Code, rec.Body, tt.status, tt.body)
				}
			})
		})
	}
}
