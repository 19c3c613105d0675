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
	now := func() time.Time { return noon }
	measured := grpcapi.NewMetrics(nil)
	registrosv1.RegisterRegistroServiceServer(server, &grpcapi.RegistroServer{Store: store, Now: now, Metrics: measured})
	registrosv1.RegisterCasoServiceServer(server, &grpcapi.CasoServer{Store: store})
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

// calls are all RPCs of registros, each as it would be called.
func (s system) calls() map[string]func(context.Context) error {
	registros := registrosv1.NewRegistroServiceClient(s.conn)
	casos := registrosv1.NewCasoServiceClient(s.conn)
	busqueda := registrosv1.NewBusquedaServiceClient(s.conn)
	captura := registrosv1.NewCapturaServiceClient(s.conn)
	operacion := registrosv1.NewOperacionServiceClient(s.conn)
	return map[string]func(context.Context) error{
		registrosv1.RegistroService_Ping_FullMethodName: func(ctx context.Context) error {
			_, err := registros.Ping(ctx, &registrosv1.PingRequest{})
			return err
		},
		registrosv1.RegistroService_ValidateRegistros_FullMethodName: func(ctx context.Context) error {
			_, err := registros.ValidateRegistros(ctx, &registrosv1.ValidateRegistrosRequest{Registros: lote(1)})
			return err
		},
		registrosv1.RegistroService_SaveRegistros_FullMethodName: func(ctx context.Context) error {
			_, err := registros.SaveRegistros(ctx, &registrosv1.SaveRegistrosRequest{Registros: lote(1)})
			return err
		},
		registrosv1.RegistroService_SaveLote_FullMethodName: func(ctx context.Context) error {
			_, err := registros.SaveLote(ctx, &registrosv1.SaveLoteRequest{Registros: lote(1)})
			return err
		},
		registrosv1.CasoService_ListCasos_FullMethodName: func(ctx context.Context) error {
			_, err := s.listCasos(ctx)
			return err
		},
		registrosv1.CasoService_ListCoincidencias_FullMethodName: func(ctx context.Context) error {
			stream, err := casos.ListCoincidencias(ctx, &registrosv1.ListCoincidenciasRequest{})
			if err != nil {
				return err
			}
			_, err = stream.Recv()
			return err
		},
		registrosv1.BusquedaService_OpenCaso_FullMethodName: func(ctx context.Context) error {
			_, err := busqueda.OpenCaso(ctx, openCaso())
			return err
		},
		registrosv1.BusquedaService_CloseCaso_FullMethodName: func(ctx context.Context) error {
			_, err := busqueda.CloseCaso(ctx, &registrosv1.CloseCasoRequest{EmpresaId: "LAB010101AB1", ReporteId: reporte, Ciclo: 1})
			return err
		},
		registrosv1.CapturaService_CaptureRegistro_FullMethodName: func(ctx context.Context) error {
			_, err := captura.CaptureRegistro(ctx, &registrosv1.CaptureRegistroRequest{EmpresaId: "LAB010101AB1", Registro: registro("E-1")})
			return err
		},
		registrosv1.OperacionService_ListActividades_FullMethodName: func(ctx context.Context) error {
			stream, err := operacion.ListActividades(ctx, &registrosv1.ListActividadesRequest{})
			return drained(stream, err)
		},
		registrosv1.OperacionService_ListSituaciones_FullMethodName: func(ctx context.Context) error {
			stream, err := operacion.ListSituaciones(ctx, &registrosv1.ListSituacionesRequest{EmpresaId: "LAB010101AB1"})
			return drained(stream, err)
		},
		registrosv1.OperacionService_ListHallazgos_FullMethodName: func(ctx context.Context) error {
			stream, err := operacion.ListHallazgos(ctx, &registrosv1.ListHallazgosRequest{EmpresaId: "LAB010101AB1"})
			return drained(stream, err)
		},
		registrosv1.OperacionService_ListBusquedas_FullMethodName: func(ctx context.Context) error {
			stream, err := operacion.ListBusquedas(ctx, &registrosv1.ListBusquedasRequest{EmpresaId: "LAB010101AB1"})
			return drained(stream, err)
		},
		registrosv1.OperacionService_RetryCoincidencia_FullMethodName: func(ctx context.Context) error {
			_, err := operacion.RetryCoincidencia(ctx, &registrosv1.RetryCoincidenciaRequest{
				EmpresaId: "LAB010101AB1", CoincidenciaId: "01890000-0000-7000-8000-000000000000",
			})
			return unlessMissing(err)
		},
		registrosv1.OperacionService_RetryFinalizacion_FullMethodName: func(ctx context.Context) error {
			_, err := operacion.RetryFinalizacion(ctx, &registrosv1.RetryFinalizacionRequest{
				EmpresaId: "LAB010101AB1", ReporteId: "nadie", Ciclo: 1,
			})
			return unlessMissing(err)
		},
		registrosv1.OperacionService_GetLoteRecibido_FullMethodName: func(ctx context.Context) error {
			_, err := operacion.GetLoteRecibido(ctx, &registrosv1.GetLoteRecibidoRequest{EmpresaId: "LAB010101AB1", LoteId: "nadie"})
			return unlessMissing(err)
		},
		registrosv1.OperacionService_GetCifras_FullMethodName: func(ctx context.Context) error {
			_, err := operacion.GetCifras(ctx, &registrosv1.GetCifrasRequest{EmpresaId: "LAB010101AB1"})
			return err
		},
		registrosv1.OperacionService_FindConservados_FullMethodName: func(ctx context.Context) error {
			stream, err := operacion.FindConservados(ctx, &registrosv1.FindConservadosRequest{Seleccion: nadie})
			return drained(stream, err)
		},
		registrosv1.OperacionService_DeleteConservados_FullMethodName: func(ctx context.Context) error {
			_, err := operacion.DeleteConservados(ctx, &registrosv1.DeleteConservadosRequest{Seleccion: nadie})
			return err
		},
	}
}

// nadie selects nobody's records.
var nadie = &registrosv1.Seleccion{EmpresaId: "LAB010101AB1", De: &registrosv1.Seleccion_Folio{Folio: "nadie"}}

// unlessMissing forgives NoEncontrado: who gets so far was let in.
func unlessMissing(err error) error {
	if errs.Is(err, errores.NoEncontrado) {
		return nil
	}
	return err
}

// drained reads a stream to its end.
func drained[T any](stream grpc.ServerStreamingClient[T], err error) error {
	for err == nil {
		_, err = stream.Recv()
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
