package routes_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/test/bufconn"

	"github.com/enlace-iis/enlace/gateway/internal/edge"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/gateway/internal/routes/testdata/prueba"
)

type pruebaServer struct {
	prueba.UnimplementedPruebaServiceServer
}

func (pruebaServer) GetSaludo(ctx context.Context, r *prueba.GetSaludoRequest) (*prueba.GetSaludoResponse, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	return &prueba.GetSaludoResponse{Saludo: strings.Repeat("Hola, "+r.GetAQuien()+". ", int(r.GetVeces())) + md.Get("x-api-key")[0]}, nil
}

// TestRegister_aRouteOfAProto adds a unary route by its proto alone, testdata/prueba/prueba.proto: it
// answers through the edge's own mux with the contract's JSON, status, refusals and order, without a
// line of the gateway's that knows it.
func TestRegister_aRouteOfAProto(t *testing.T) {
	routes.AddService(t, prueba.PruebaService_ServiceDesc.ServiceName, prueba.RegisterPruebaServiceHandler)
	listener, server := bufconn.Listen(1<<20), grpc.NewServer()
	prueba.RegisterPruebaServiceServer(server, pruebaServer{})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient("passthrough:///prueba", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	handler, err := edge.New(edge.Config{
		PublicURL: "https://enlace.example", Timeout: time.Minute, TimeoutBatch: time.Minute, TimeoutClient: time.Minute,
		MaxBodyBytes: 64 << 20, EmpresaMaxBatches: 4, EmpresaMaxBatchBytes: 32 << 20, MaxLists: 8,
	}, edge.Parts{
		Conns: routes.Connections{routes.Registros: conn, routes.Integracion: conn},
		Log:   slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, method, path, key, body string
		status                        int
		want                          string
	}{
		{"answer", "POST", "/cliente/saludos/ana", "llave", `{"veces":2}`, 201, `{"saludo":"Hola, ana. Hola, ana. llave","otros":[]}`},
		{"unknown field", "POST", "/cliente/saludos/ana", "llave", `{"otra":2}`, 400, `"puntero":"/otra"`},
		{"no credential", "POST", "/cliente/saludos/ana", "", `{}`, 401, `"codigo":"credencial_ausente"`},
		{"query", "POST", "/cliente/saludos/ana?veces=2", "llave", `{}`, 400, `"codigo":"parametro_no_admitido"`},
		{"method", "GET", "/cliente/saludos/ana", "llave", "", 405, `"codigo":"metodo_no_permitido"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			request := httptest.NewRequestWithContext(t.Context(), tt.method, tt.path, strings.NewReader(tt.body))
			request.Header.Set("Content-Type", "application/json")
			if tt.key != "" {
				request.Header.Set("X-API-Key", tt.key)
			}
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, request)
			if answer.Code != tt.status || !strings.Contains(answer.Body.String(), tt.want) {
				t.Errorf("got %d %s, want %d %s", answer.Code, answer.Body, tt.status, tt.want)
			}
			if tt.status == http.StatusMethodNotAllowed && answer.Header().Get("Allow") != "POST" {
				t.Errorf("Allow: got %q, want POST", answer.Header().Get("Allow"))
			}
		})
	}
}
