package routes

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"google.golang.org/grpc"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
)

// askTimeout bounds the question to a service: a health answer that takes longer is one.
const askTimeout = time.Second

// Health answers GET /health: which parts of the whole can do their work now (contract.md 5). It
// asks the services' own health, both at once, and keeps nothing: 200 if both serve and reach their
// databases, else 503.
func Health(registros, integracion grpc.ClientConnInterface) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), askTimeout)
		defer cancel()
		other := make(chan string, 1)
		go func() { other <- ask(ctx, integracion) }()
		first, second := ask(ctx, registros), <-other
		estado, status := "ok", http.StatusOK
		if first != "ok" || second != "ok" {
			estado, status = "degradado", http.StatusServiceUnavailable
		}
		body := `{"estado":"` + estado + `","componentes":{"registros":"` + first + `","integracion":"` + second + `"}}`
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		// A client that has gone cannot be told anything.
		_, _ = w.Write([]byte(body))
	})
}

func ask(ctx context.Context, conn grpc.ClientConnInterface) string {
	answer, err := healthv1.NewHealthClient(conn).Check(ctx, &healthv1.HealthCheckRequest{})
	if err != nil || answer.GetStatus() != healthv1.HealthCheckResponse_SERVING {
		return "caido"
	}
	return "ok"
}
