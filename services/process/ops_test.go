package process

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestOps_readyzFollowsTheProgram(t *testing.T) {
	ops := &Ops{Registry: newRegistry()}
	var failure error
	routes := ops.routes(func(context.Context) error { return failure })

	status := func(path string) int {
		answer := httptest.NewRecorder()
		routes.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		return answer.Code
	}
	if got := status("/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("before it listens: %d", got)
	}
	ops.Accept()
	if got := status("/readyz"); got != http.StatusOK {
		t.Errorf("ready: %d", got)
	}
	failure = errors.New("no database")
	if got := status("/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("not ready: %d", got)
	}
	failure = nil
	ops.Drain()
	if got := status("/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("draining: %d", got)
	}
	if got := status("/livez"); got != http.StatusOK {
		t.Errorf("live: %d", got)
	}
	if got := status("/metrics"); got != http.StatusOK {
		t.Errorf("metrics: %d", got)
	}
}
