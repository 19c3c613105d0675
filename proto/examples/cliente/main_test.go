package main

import (
	"context"
	"net"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// enlace answers as the service does.
type enlace struct {
	registrosv1.UnimplementedRegistroServiceServer
	registrosv1.UnimplementedCasoServiceServer
}

func (enlace) Ping(ctx context.Context, _ *registrosv1.PingRequest) (*registrosv1.PingResponse, error) {
	key := metadata.ValueFromIncomingContext(ctx, "x-api-key")
	if len(key) == 1 && key[0] == "la llave" {
		return &registrosv1.PingResponse{Mensaje: "pong", IdEmpresa: "LAB010101AB1", Ambiente: "development"}, nil
	}
	refusal, err := status.New(codes.Unauthenticated, "La llave no es válida.").WithDetails(
		&errdetails.ErrorInfo{Reason: "CREDENCIAL_INVALIDA", Domain: "enlace"},
		&erroresv1.Errores{Errores: []*erroresv1.ErrorDeCampo{{Puntero: "/aqui", Mensaje: "Esto."}}})
	if err != nil {
		return nil, err
	}
	return nil, refusal.Err()
}

func (enlace) SaveLote(_ context.Context, req *registrosv1.SaveLoteRequest) (*registrosv1.SaveLoteResponse, error) {
	return &registrosv1.SaveLoteResponse{
		IdLote: "1", Creados: int32(len(req.GetRegistros())),
		Observaciones: []*registrosv1.Observacion{{Gravedad: "advertencia", Puntero: "/registros/0/curp", Mensaje: "Duda."}},
	}, nil
}

func (enlace) ListCasos(_ *registrosv1.ListCasosRequest, stream grpc.ServerStreamingServer[registrosv1.ListCasosResponse]) error {
	for _, id := range []string{"a", "b"} {
		err := stream.Send(&registrosv1.ListCasosResponse{Casos: []*registrosv1.Caso{{Id: id, Estado: "monitoreo", Coincidencias: 1}}})
		if err != nil {
			return err
		}
	}
	return nil
}

func serve(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	registrosv1.RegisterRegistroServiceServer(server, enlace{})
	registrosv1.RegisterCasoServiceServer(server, enlace{})
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		err := <-stopped
		if err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Setenv("GRPC_REGISTROS", listener.Addr().String())
}

func TestRun(t *testing.T) {
	serve(t)
	t.Setenv("API_KEY", "la llave")
	var out strings.Builder
	err := run(t.Context(), &out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pong, LAB010101AB1", "1 creados", "advertencia en /registros/0/curp: Duda.", "caso b: monitoreo", "2 casos"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, out.String())
		}
	}
}

func TestRun_explainsARefusal(t *testing.T) {
	serve(t)
	t.Setenv("API_KEY", "otra")
	err := run(t.Context(), &strings.Builder{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"La llave no es válida.", "motivo: CREDENCIAL_INVALIDA", "/aqui: Esto."} {
		if !strings.Contains(explain(err), want) {
			t.Errorf("explanation lacks %q: %s", want, explain(err))
		}
	}
}

func TestRun_needsItsSettings(t *testing.T) {
	t.Setenv("API_KEY", "")
	err := run(t.Context(), &strings.Builder{})
	if err == nil || !strings.Contains(explain(err), "API_KEY") {
		t.Errorf("error = %v", err)
	}
}
