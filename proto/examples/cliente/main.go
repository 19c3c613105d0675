// Command cliente is an example of an internal system that calls Enlace by gRPC: it proves
// its key, saves one record and reads the institution's cases. Copy what you need; it
// depends on nothing but the contract's module and gRPC.
//
//	GRPC_REGISTROS=127.0.0.1:9091 API_KEY=iis_… go run ./proto/examples/cliente
//
// GRPC_TLS=true calls over TLS, as everywhere but on one's own machine.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// timeout bounds the whole conversation; every call should have a deadline.
const timeout = 30 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, explain(err))
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	target, key := os.Getenv("GRPC_REGISTROS"), os.Getenv("API_KEY")
	if target == "" || key == "" {
		return errors.New("set GRPC_REGISTROS and API_KEY")
	}
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(transport()))
	if err != nil {
		return fmt.Errorf("dial: %w", err)
	}
	defer func() { _ = conn.Close() }() // all that was asked has been answered
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	// The key goes in the metadata of every call.
	return talk(metadata.AppendToOutgoingContext(ctx, "x-api-key", key), conn, out)
}

func transport() credentials.TransportCredentials {
	if os.Getenv("GRPC_TLS") == "true" {
		return credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})
	}
	return insecure.NewCredentials()
}

func talk(ctx context.Context, conn grpc.ClientConnInterface, out io.Writer) error {
	registros := registrosv1.NewRegistroServiceClient(conn)
	pong, err := registros.Ping(ctx, &registrosv1.PingRequest{})
	if err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	fmt.Fprintf(out, "%s, %s (%s)\n", pong.GetMensaje(), pong.GetIdEmpresa(), pong.GetAmbiente())

	// Saving the same record again changes nothing, so a lost answer is no reason to worry.
	lote, err := registros.SaveLote(ctx, &registrosv1.SaveLoteRequest{Registros: []*registrosv1.Registro{{
		Folio:                  "EJEMPLO-1",
		Curp:                   "PEXA900115HDFRXN06",
		TipoEvento:             "Toma de muestra",
		FechaEvento:            "2026-01-15",
		DescripcionLugarEvento: "Sucursal Centro",
	}}})
	if err != nil {
		return fmt.Errorf("save lote: %w", err)
	}
	fmt.Fprintf(out, "lote %s: %d creados, %d sin cambios, %d rechazados\n",
		lote.GetIdLote(), lote.GetCreados(), lote.GetSinCambios(), lote.GetRechazados())
	for _, o := range lote.GetObservaciones() {
		fmt.Fprintf(out, "  %s en %s: %s\n", o.GetGravedad(), o.GetPuntero(), o.GetMensaje())
	}
	return listCasos(ctx, conn, out)
}

// listCasos reads a list as it comes, in chunks. Only io.EOF says that it is whole.
func listCasos(ctx context.Context, conn grpc.ClientConnInterface, out io.Writer) error {
	stream, err := registrosv1.NewCasoServiceClient(conn).ListCasos(ctx, &registrosv1.ListCasosRequest{})
	if err != nil {
		return fmt.Errorf("list casos: %w", err)
	}
	total := 0
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			fmt.Fprintf(out, "%d casos\n", total)
			return nil
		}
		if err != nil {
			return fmt.Errorf("list casos: %w", err)
		}
		for _, caso := range chunk.GetCasos() {
			total++
			fmt.Fprintf(out, "caso %s: %s, %d coincidencias\n", caso.GetId(), caso.GetEstado(), caso.GetCoincidencias())
		}
	}
}

// explain adds to an error what Enlace says of it: the reason, which is the contract's
// `codigo`, and the places that were wrong.
func explain(err error) string {
	text := err.Error()
	refusal, isStatus := status.FromError(err)
	if !isStatus {
		return text
	}
	for _, detail := range refusal.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			text += "\nmotivo: " + detail.GetReason()
		case *erroresv1.Errores:
			for _, each := range detail.GetErrores() {
				text += fmt.Sprintf("\n%s: %s", each.GetPuntero(), each.GetMensaje())
			}
		}
	}
	return text
}
