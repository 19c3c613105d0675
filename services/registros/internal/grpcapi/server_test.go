package grpcapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/grpcapi"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
)

const (
	curp    = "PEXA900115HDFRXN06"
	reporte = "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-446655440000"
	secret  = "a secret of the tests, 32 bytes long"
)

// noon is when these tests take place.
var noon = time.Date(2026, 6, 15, 18, 0, 0, 0, time.UTC)

// keyring knows two institutions' keys, as integracion would.
type keyring map[string]auth.Principal

func (k keyring) VerifyKey(_ context.Context, key auth.Key) (auth.Principal, error) {
	principal, known := k[key.ID]
	if !known {
		return auth.Principal{}, errs.New(errores.CredencialInvalida, "La credencial no es válida.")
	}
	principal.Rol, principal.Ambiente, principal.Subject = auth.RolInstitucion, key.Ambiente, key.ID
	return principal, nil
}

// system is the real server on a real database, and who calls it.
type system struct {
	conn             *grpc.ClientConn
	uno, dos, nobody context.Context
	events           context.Context // a key without the scope cliente
	integracion      context.Context
}

func setup(t *testing.T) system {
	t.Helper()
	return setupAt(t, noon)
}

func setupAt(t *testing.T, at time.Time) system {
	t.Helper()
	db, _ := pgtest.Open(t, postgres.Migrations)
	queue := &postgres.RiverQueue{}
	client, err := jobs.NewClient(db, jobs.Config{})
	if err != nil {
		t.Fatal(err)
	}
	queue.Client = client
	store := postgres.NewStore(db, queue)

	keys := keyring{}
	tokens, err := auth.NewServiceVerifier(auth.Secrets{secret}, auth.ServicioIntegracion, auth.ServicioRegistros)
	if err != nil {
		t.Fatal(err)
	}
	guard := &auth.Guard{Table: auth.DeclaredTable(), Keys: keys, Tokens: tokens}
	server, err := rpc.NewServer(rpc.ServerConfig{}, rpc.ServerParts{Layers: []rpc.Layer{guard.Layer}})
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return at }
	measured := grpcapi.NewMetrics(nil)
	registrosv1.RegisterRegistroServiceServer(server, &grpcapi.RegistroServer{Store: store, Now: now, Metrics: measured})
	registrosv1.RegisterCasoServiceServer(server, &grpcapi.CasoServer{Store: store})
	registrosv1.RegisterCargaServiceServer(server, &grpcapi.CargaServer{Store: store})
	registrosv1.RegisterCapturaServiceServer(server, &grpcapi.CapturaServer{Store: store, Now: now, Metrics: measured})
	registrosv1.RegisterBusquedaServiceServer(server, &grpcapi.BusquedaServer{Store: store})
	registrosv1.RegisterOperacionServiceServer(server, &grpcapi.OperacionServer{Store: store})
	s := system{conn: serve(t, server), nobody: t.Context()}
	s.uno = withKey(t, keys, "LAB010101AB1", auth.AmbitoCliente)
	s.dos = withKey(t, keys, "LAB020202CD2", auth.AmbitoCliente)
	s.events = withKey(t, keys, "LAB010101AB1", auth.AmbitoEventos)
	s.integracion = withServiceToken(t)
	return s
}

func serve(t *testing.T, server *rpc.Server) *grpc.ClientConn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	conn, err := rpc.Dial("passthrough:///"+listener.Addr().String(), rpc.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		stop()
		<-ended
	})
	return conn
}

func withKey(t *testing.T, keys keyring, empresa tenant.EmpresaID, ambito auth.Ambito) context.Context {
	t.Helper()
	key, err := auth.Generate("prueba")
	if err != nil {
		t.Fatal(err)
	}
	keys[key.ID] = auth.Principal{EmpresaID: empresa, EmpresaNombre: "Laboratorio", Ambitos: []auth.Ambito{ambito}}
	return metadata.AppendToOutgoingContext(t.Context(), "x-api-key", key.Reveal())
}

func withServiceToken(t *testing.T) context.Context {
	t.Helper()
	tokens, err := auth.NewServiceTokens(auth.Secrets{secret}, auth.ServicioIntegracion, auth.ServicioRegistros)
	if err != nil {
		t.Fatal(err)
	}
	headers, err := tokens.GetRequestMetadata(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return metadata.NewOutgoingContext(t.Context(), metadata.New(headers))
}

func registro(folio string) *registrosv1.Registro {
	return &registrosv1.Registro{
		Folio: folio, Curp: curp, TipoEvento: "Toma de muestra", FechaEvento: "2026-06-14", DescripcionLugarEvento: "Sucursal Centro",
	}
}

func lote(n int) []*registrosv1.Registro {
	all := make([]*registrosv1.Registro, n)
	for i := range all {
		all[i] = registro(fmt.Sprintf("F-%05d", i))
	}
	return all
}

func openCaso() *registrosv1.OpenCasoRequest {
	return &registrosv1.OpenCasoRequest{
		EmpresaId: "LAB010101AB1", ReporteId: reporte, Ciclo: 1, ActivadoEn: timestamppb.New(noon),
		Persona: &registrosv1.PersonaReportada{Curp: curp},
	}
}

// call sends an RPC its empty request and reads the answer to its end.
func (s system) call(ctx context.Context, rpc string) error {
	stream, err := s.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, rpc)
	if err != nil {
		return err
	}
	err = stream.SendMsg(&emptypb.Empty{})
	if err != nil {
		return err
	}
	err = stream.CloseSend()
	for err == nil {
		err = stream.RecvMsg(&emptypb.Empty{})
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// listCasos reads the whole list and its revision.
func (s system) listCasos(ctx context.Context) ([]*registrosv1.Caso, error) {
	stream, err := registrosv1.NewCasoServiceClient(s.conn).ListCasos(ctx, &registrosv1.ListCasosRequest{})
	if err != nil {
		return nil, err
	}
	var all []*registrosv1.Caso
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, chunk.GetCasos()...)
	}
}
