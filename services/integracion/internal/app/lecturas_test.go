package app_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	opcionesv1 "github.com/enlace-iis/enlace/proto/gen/enlace/opciones/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/proto/opciones"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
)

// sinHallazgos is a registros that found nothing.
type sinHallazgos struct {
	registrosv1.UnimplementedOperacionServiceServer
}

func (sinHallazgos) ListSituaciones(*registrosv1.ListSituacionesRequest, grpc.ServerStreamingServer[registrosv1.ListSituacionesResponse]) error {
	return nil
}

func (sinHallazgos) ListHallazgos(*registrosv1.ListHallazgosRequest, grpc.ServerStreamingServer[registrosv1.ListHallazgosResponse]) error {
	return nil
}

func (sinHallazgos) ListBusquedas(*registrosv1.ListBusquedasRequest, grpc.ServerStreamingServer[registrosv1.ListBusquedasResponse]) error {
	return nil
}

func (sinHallazgos) FindConservados(*registrosv1.FindConservadosRequest, grpc.ServerStreamingServer[registrosv1.FindConservadosResponse]) error {
	return nil
}

// ask calls a method about institution A, its Reporte and its person, and gives how many messages
// came.
func (s *sistema) ask(ctx context.Context, m opciones.Metodo) (messages int, err error) {
	req := dynamicpb.NewMessage(m.Descriptor.Input())
	for name, value := range map[protoreflect.Name]string{"id_empresa": string(empresaA), "reporte_id": reporteID, "curp": curp} {
		if field := m.Descriptor.Input().Fields().ByName(name); field != nil {
			req.Set(field, protoreflect.ValueOfString(value))
		}
	}
	stream, err := s.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, m.RPC)
	if err != nil {
		return 0, err
	}
	err = errors.Join(stream.SendMsg(req), stream.CloseSend())
	for err == nil {
		err = stream.RecvMsg(dynamicpb.NewMessage(m.Descriptor.Output()))
		if err == nil {
			messages++
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return messages, err
}

// What shows an operator personal data leaves a line that names them, and shows nothing if the line
// cannot be written; what shows none leaves none. Every method that the protos declare is asked.
func TestLecturas_leaveALineBeforeAnythingIsShown(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{RegistrosTarget: serve(t, "127.0.0.1:0", func(server *grpc.Server) {
		registrosv1.RegisterOperacionServiceServer(server, sinHallazgos{})
	})})
	s.activate(t, empresaA)
	_, err := s.reportes().ActivateReporte(withToken(t.Context(), s.tokens[empresaA]), &integracionv1.ActivateReporteRequest{
		Activacion: &integracionv1.Activacion{Id: "corto", Curp: curp}, // to be reviewed
	})
	wantMotivo(t, "activation", err, errores.Validacion)
	ctx := withToken(t.Context(), s.Login("operadora", s.CreateUsuario("operadora")))
	admin, err := pgx.Connect(t.Context(), s.Database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close(context.Background()) }()
	exec := func(statement string) {
		t.Helper()
		_, err := admin.Exec(t.Context(), statement)
		if err != nil {
			t.Fatal(err)
		}
	}
	lines := func() int { return count(t, s.Servicio, `bitacora WHERE actor = 'operadora' AND accion <> 'login'`) }
	all, err := opciones.Todos()
	if err != nil {
		t.Fatal(err)
	}
	personal := slices.DeleteFunc(slices.Clone(all), func(m opciones.Metodo) bool { return m.GetLectura() != opcionesv1.Lectura_LECTURA_DE_PERSONAS })
	if len(personal) < 10 {
		t.Fatalf("%d methods show personal data", len(personal))
	}

	exec(`ALTER TABLE bitacora ADD CONSTRAINT bitacora_llena CHECK (false) NOT VALID`)
	for _, m := range personal {
		messages, err := s.ask(ctx, m)
		if err == nil || messages != 0 {
			t.Errorf("%s without its line: %d messages, %v", m.RPC, messages, err)
		}
	}
	exec(`ALTER TABLE bitacora DROP CONSTRAINT bitacora_llena`)

	for _, m := range personal {
		before := lines()
		_, err := s.ask(ctx, m)
		if after := lines(); err != nil || after != before+1 {
			t.Errorf("%s left %d lines, %v", m.RPC, after-before, err)
		}
	}
	before := lines()
	for _, m := range all {
		if m.GetLectura() == opcionesv1.Lectura_LECTURA_SIN_PERSONAS {
			_, _ = s.ask(ctx, m) // some need what is not here
		}
	}
	if after := lines(); after != before {
		t.Errorf("what shows no personal data left %d lines", after-before)
	}
	seen := readBitacora(t, s.Servicio, `concat_ws(' ', accion, reporte_id, actor)`, string(empresaA))
	if want := "reporte_visto " + reporteID + " operadora"; !slices.Contains(seen, want) {
		t.Errorf("bitacora = %v, want %s", seen, want)
	}
}
