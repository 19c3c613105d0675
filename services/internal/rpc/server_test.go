package rpc

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/process/header"
)

func TestServer_errorsKeepTheirReason(t *testing.T) {
	refusal := errs.New(errores.Validacion, "Hay errores.").WithFields(errs.Field{Indice: 2, Folio: "A-2", Puntero: "/registros/2/curp", Codigo: "formato", Mensaje: "mal"})
	impl := &stub{
		ping: func(context.Context) error { return refusal },
		casos: func(stream grpc.ServerStreamingServer[registrosv1.ListCasosResponse]) error {
			err := stream.Send(&registrosv1.ListCasosResponse{Revision: "1"})
			if err != nil {
				return err
			}
			return refusal
		},
	}
	conn := serve(t, ServerConfig{}, ServerParts{}, impl).dial(t, ClientConfig{})

	_, unaryErr := registrosv1.NewRegistroServiceClient(conn).Ping(t.Context(), nil)
	stream, err := registrosv1.NewCasoServiceClient(conn).ListCasos(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	_, streamErr := stream.Recv()

	for kind, err := range map[string]error{"unary": unaryErr, "stream": streamErr} {
		got, ok := errors.AsType[*errs.Error](err)
		if !ok || got.Motivo != errores.Validacion || len(got.Fields) != 1 || got.Fields[0] != refusal.Fields[0] {
			t.Errorf("%s: %#v", kind, err)
		}
	}
}

func TestServer_aRefusalWithThousandsOfPlacesArrives(t *testing.T) {
	refusal := errs.New(errores.Validacion, "Hay errores.")
	for i := range 5000 {
		refusal.WithFields(errs.Field{Indice: i, Puntero: "/registros/0/curp", Codigo: "formato", Mensaje: strings.Repeat("x", 100)})
	}
	client := serve(t, ServerConfig{}, ServerParts{}, &stub{ping: func(context.Context) error { return refusal }}).registros(t)

	_, err := client.Ping(t.Context(), nil)

	got, ok := errors.AsType[*errs.Error](err)
	if !ok || len(got.Fields) != 5000 {
		t.Fatalf("%v", err)
	}
}

func TestServer_internalErrorsAreLoggedAndNotShown(t *testing.T) {
	f := serve(t, ServerConfig{}, ServerParts{}, &stub{ping: func(context.Context) error { return errors.New("inner text") }})

	_, err := f.registros(t).Ping(t.Context(), nil)

	if !errs.Is(err, errores.Interno) || strings.Contains(err.Error(), "inner text") {
		t.Errorf("client sees %v", err)
	}
	line := onlyLine(t, f, "rpc")
	if line["level"] != "ERROR" || line["error"] != "inner text" || line["motivo"] != "interno" {
		t.Errorf("log %v", line)
	}
}

func TestServer_logsEachCallOnce(t *testing.T) {
	tests := []struct {
		name          string
		err           error
		level, motivo any
		code          codes.Code
	}{
		{"success", nil, "INFO", nil, codes.OK},
		{"refusal", errs.New(errores.NoEncontrado, "x"), "INFO", "no_encontrado", codes.NotFound},
		{"dependency down", errs.New(errores.NoDisponible, "x"), "WARN", "no_disponible", codes.Unavailable},
		{"canceled", context.Canceled, "INFO", nil, codes.Canceled},
		{"deadline", context.DeadlineExceeded, "WARN", "tiempo_agotado", codes.DeadlineExceeded},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := serve(t, ServerConfig{}, ServerParts{Layers: []Layer{
				func(ctx context.Context, _ string, next func(context.Context) error) error {
					SetCaller(ctx, "XAXX010101000", "institucion")
					return next(ctx)
				},
			}}, &stub{ping: func(context.Context) error { return tt.err }})
			ctx := metadata.AppendToOutgoingContext(t.Context(), header.RequestID, "abc-1234")

			_, err := f.registros(t).Ping(ctx, nil)
			if (err == nil) != (tt.err == nil) {
				t.Fatal(err)
			}

			line := onlyLine(t, f, "rpc")
			for key, want := range map[string]any{
				"level": tt.level, "motivo": tt.motivo, "code": tt.code.String(), "rpc": pingRPC,
				"request_id": "abc-1234", "rol": "institucion", "empresa_id": "XAXX010101000",
			} {
				if line[key] != want {
					t.Errorf("%s = %v, want %v", key, line[key], want)
				}
			}
		})
	}
}

func TestServer_aPanicEndsOneCallOnly(t *testing.T) {
	registry := prometheus.NewRegistry()
	impl := &stub{
		ping:  func(context.Context) error { panic("broken invariant") },
		casos: func(grpc.ServerStreamingServer[registrosv1.ListCasosResponse]) error { panic("broken stream") },
		lote:  func(*registrosv1.SaveLoteRequest) error { return nil },
	}
	f := serve(t, ServerConfig{}, ServerParts{Metrics: registry}, impl)
	conn := f.dial(t, ClientConfig{})
	client := registrosv1.NewRegistroServiceClient(conn)

	_, err := client.Ping(t.Context(), nil)
	if !errs.Is(err, errores.Interno) || strings.Contains(err.Error(), "broken") {
		t.Errorf("client sees %v", err)
	}
	stream, err := registrosv1.NewCasoServiceClient(conn).ListCasos(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = stream.Recv()
	if !errs.Is(err, errores.Interno) || errors.Is(err, io.EOF) {
		t.Errorf("stream sees %v", err)
	}
	_, err = client.SaveLote(t.Context(), nil)
	if err != nil {
		t.Errorf("the next call: %v", err)
	}

	panics := f.log.of(t, "panic in handler")
	if len(panics) != 2 || !strings.Contains(panics[0]["stack"].(string), "server_test.go") {
		t.Errorf("log %v", panics)
	}
	// The value of a panic may hold anything, a record's content included.
	if text := f.log.String(); strings.Contains(text, "broken") {
		t.Errorf("the log has the value of a panic: %s", text)
	}
	calls := f.log.of(t, "rpc")
	if len(calls) != 3 || calls[0]["level"] != "ERROR" || calls[0]["request_id"] != panics[0]["request_id"] {
		t.Errorf("log %v", calls)
	}
	if got, want := counts(t, registry, "grpc_server_panics_total"), map[string]int{casosRPC: 1, pingRPC: 1}; !maps.Equal(got, want) {
		t.Errorf("metrics %v", got)
	}
}

func TestServer_requestID(t *testing.T) {
	var seen string
	f := serve(t, ServerConfig{}, ServerParts{}, &stub{ping: func(ctx context.Context) error {
		seen = RequestID(ctx)
		return nil
	}})
	client := f.registros(t)
	tests := []struct {
		name  string
		given []string
		kept  bool
	}{
		{"given", []string{"0190-abc"}, true},
		{"longest", []string{strings.Repeat("x", 64)}, true},
		{"absent", nil, false},
		{"empty", []string{""}, false},
		{"too long", []string{strings.Repeat("x", 65)}, false},
		{"given twice", []string{"aaaaaaaa", "bbbbbbbb"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			for _, id := range tt.given {
				ctx = metadata.AppendToOutgoingContext(ctx, header.RequestID, id)
			}
			var trailer metadata.MD
			_, err := client.Ping(ctx, nil, grpc.Trailer(&trailer))
			if err != nil {
				t.Fatal(err)
			}
			echoed := trailer.Get(header.RequestID)
			if len(echoed) != 1 || echoed[0] != seen || seen == "" {
				t.Fatalf("echoed %q, handler saw %q", echoed, seen)
			}
			if slices.Contains(tt.given, seen) != tt.kept {
				t.Errorf("given %q, used %q", tt.given, seen)
			}
		})
	}
}

// An id stays in the logs and in the Bitácora.
func TestIncomingRequestID_refusesTextsAndCURPs(t *testing.T) {
	for _, id := range []string{
		"aaaa\nbbbb", "aaaa\x00bbbb", "año-2026-1", "aaaaaaaa\x7f", "JUAN PEREZ", "1234567",
		"PEXA900115HDFRXN06", "pexa900115hdfrxn06", "lote-PEXA900115HDFRXN06-1", "loteXPEXA900115HDFRXN06X1", "AEN0ZEUQUDPMXUHVMP",
	} {
		ctx := metadata.NewIncomingContext(t.Context(), metadata.MD{header.RequestID: {id}})
		got, ok := incomingRequestID(ctx)
		if ok {
			t.Errorf("%q taken as %q", id, got)
		}
	}
}

func TestServer_takesABatchLargerThanGRPCsDefault(t *testing.T) {
	f := serve(t, ServerConfig{}, ServerParts{}, &stub{lote: func(*registrosv1.SaveLoteRequest) error { return nil }})
	text := strings.Repeat("x", 1<<10)
	lote := &registrosv1.SaveLoteRequest{Registros: make([]*registrosv1.Registro, 8<<10)}
	for i := range lote.Registros {
		lote.Registros[i] = &registrosv1.Registro{Folio: text}
	}

	// A slow machine may take its time with 8 MiB.
	client := registrosv1.NewRegistroServiceClient(f.dial(t, ClientConfig{Deadline: time.Minute}))
	answer, err := client.SaveLote(t.Context(), lote)

	if err != nil || answer.GetTotal() != 8<<10 {
		t.Errorf("%v %v", answer, err)
	}
}

func TestServer_refusesHalfOfACertificate(t *testing.T) {
	for _, cfg := range []TLSConfig{
		{CertFile: "x"},
		{KeyFile: "x"},
		{ClientCAFile: "x"},
		{CertFile: "no such file", KeyFile: "no such file"},
	} {
		_, err := NewServer(ServerConfig{TLS: cfg}, ServerParts{})
		if err == nil {
			t.Errorf("%+v accepted", cfg)
		}
	}
}

func TestServer_countsCalls(t *testing.T) {
	registry := prometheus.NewRegistry()
	f := serve(t, ServerConfig{}, ServerParts{Metrics: registry}, &stub{ping: func(context.Context) error { return errs.New(errores.SinPermiso, "x") }})
	conn := f.dial(t, ClientConfig{})
	for range 3 {
		_, err := registrosv1.NewRegistroServiceClient(conn).Ping(t.Context(), nil)
		if err == nil {
			t.Fatal("no refusal")
		}
	}
	// An unknown method is answered before it can make a label of its own.
	err := conn.Invoke(t.Context(), "/made.up.Service/Method", &registrosv1.PingRequest{}, &registrosv1.PingResponse{})
	if status.Code(errors.Unwrap(err)) != codes.Unimplemented {
		t.Errorf("unknown method: %v", err)
	}
	if got, want := counts(t, registry, "grpc_server_calls_total"), map[string]int{"PermissionDenied " + pingRPC: 3}; !maps.Equal(got, want) {
		t.Errorf("metrics %v", got)
	}
}

func onlyLine(t *testing.T, f *fixture, message string) map[string]any {
	t.Helper()
	lines := f.log.of(t, message)
	if len(lines) != 1 {
		t.Fatalf("%d lines %q, want 1", len(lines), message)
	}
	return lines[0]
}
