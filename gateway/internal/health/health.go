// Package health answers GET /health: which parts of the whole can do their work now
// (contract.md 5). It asks the services' own health and keeps nothing.
package health

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
)

// askTimeout bounds the question to a service: a health answer that takes longer is one.
const askTimeout = time.Second

// Handler answers with the state of the two services.
type Handler struct {
	registros, integracion healthv1.HealthClient
}

// New makes the handler over the connections of the services.
func New(registros, integracion grpc.ClientConnInterface) *Handler {
	return &Handler{
		registros:   healthv1.NewHealthClient(registros),
		integracion: healthv1.NewHealthClient(integracion),
	}
}

// ServeHTTP asks both at once: 200 if both serve and reach their databases, else 503.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), askTimeout)
	defer cancel()

	var registros, integracion bool
	var asking sync.WaitGroup
	asking.Go(func() { registros = serves(ctx, h.registros) })
	asking.Go(func() { integracion = serves(ctx, h.integracion) })
	asking.Wait()

	estado, status := "ok", http.StatusOK
	if !registros || !integracion {
		estado, status = "degradado", http.StatusServiceUnavailable
	}
	body := `{"estado":"` + estado + `","componentes":{"registros":"` + word(registros) +
		`","integracion":"` + word(integracion) + `"}}`
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// A client that has gone cannot be told anything.
	_, _ = w.Write([]byte(body))
}

func serves(ctx context.Context, client healthv1.HealthClient) bool {
	answer, err := client.Check(ctx, &healthv1.HealthCheckRequest{})
	return err == nil && answer.GetStatus() == healthv1.HealthCheckResponse_SERVING
}

func word(serves bool) string {
	if serves {
		return "ok"
	}
	return "caido"
}
