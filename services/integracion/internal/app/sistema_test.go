package app_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

const (
	empresaA tenant.EmpresaID = "LAB010101AB1"
	empresaB tenant.EmpresaID = "LAB020202CD2"

	reporteID = "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-446655440000"
	claveSim  = "clave-hacia-la-plataforma"

	textoActivacion    = "La solicitud de activación del reporte de búsqueda se recibió correctamente."
	textoDesactivacion = "Registro de finalización de búsqueda histórica guardado correctamente"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// sistema is the service with two institutions that the simulator knows too.
type sistema struct {
	*integraciontest.Servicio
	simulador *simuladortest.Simulador
	conn      *grpc.ClientConn
	tokens    map[tenant.EmpresaID]string
	claves    map[tenant.EmpresaID]string
	keys      map[tenant.EmpresaID]integraciontest.ApiKey
	registros *grpc.ClientConn
}

func start(t *testing.T, options integraciontest.Options) *sistema {
	t.Helper()
	s := &sistema{
		Servicio:  integraciontest.Start(t, options),
		simulador: simuladortest.Start(t),
		tokens:    map[tenant.EmpresaID]string{},
		claves:    map[tenant.EmpresaID]string{},
		keys:      map[tenant.EmpresaID]integraciontest.ApiKey{},
	}
	s.conn, s.registros = s.Dial(), s.DialAsRegistros()
	for _, id := range []tenant.EmpresaID{empresaA, empresaB} {
		s.CreateEmpresa(id, "LABORATORIO "+string(id))
		s.claves[id] = s.SetClaveEntrada(id)
		s.tokens[id] = s.Login("PUI", s.claves[id])
		s.keys[id] = s.IssueApiKey(id)
		s.simulador.Register(simuladortest.Institucion{ID: string(id), Clave: claveSim})
		s.SetClaveSalida(id, s.simulador.URL, claveSim)
	}
	return s
}

func withToken(ctx context.Context, token string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
}

func withKey(ctx context.Context, key string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "x-api-key", key)
}

func (s *sistema) reportes() integracionv1.ReporteServiceClient {
	return integracionv1.NewReporteServiceClient(s.conn)
}

func (s *sistema) entregas() integracionv1.EntregaServiceClient {
	return integracionv1.NewEntregaServiceClient(s.registros)
}

func activacion() *integracionv1.Activacion {
	return &integracionv1.Activacion{Id: reporteID, Curp: curp, Nombre: "NOMBRE PRIVADO"}
}

func (s *sistema) activate(t *testing.T, empresa tenant.EmpresaID) {
	t.Helper()
	answer, err := s.reportes().ActivateReporte(withToken(t.Context(), s.tokens[empresa]),
		&integracionv1.ActivateReporteRequest{Activacion: activacion()})
	if err != nil || answer.GetMessage() != textoActivacion {
		t.Fatalf("activate: %q, %v", answer.GetMessage(), err)
	}
}

// activateLongAgo activates, and lets the time pass in which nothing is told yet.
func (s *sistema) activateLongAgo(t *testing.T, empresa tenant.EmpresaID) {
	t.Helper()
	s.activate(t, empresa)
	conn, err := pgx.Connect(t.Context(), s.Database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(t.Context(), `UPDATE reportes SET activado_en = activado_en - interval '1 minute' WHERE empresa_id = $1`, string(empresa))
	if err != nil {
		t.Fatal(err)
	}
}

func (s *sistema) deactivate(t *testing.T, empresa tenant.EmpresaID) {
	t.Helper()
	answer, err := s.reportes().DeactivateReporte(withToken(t.Context(), s.tokens[empresa]),
		&integracionv1.DeactivateReporteRequest{Desactivacion: &integracionv1.Desactivacion{Id: reporteID}})
	if err != nil || answer.GetMessage() != textoDesactivacion {
		t.Fatalf("deactivate: %q, %v", answer.GetMessage(), err)
	}
}

func newNotify(empresa tenant.EmpresaID) *integracionv1.NotifyCoincidenciaRequest {
	return &integracionv1.NotifyCoincidenciaRequest{
		EmpresaId: string(empresa), CoincidenciaId: uuid.NewString(), ReporteId: reporteID, Ciclo: 1, FaseBusqueda: "2",
		Registro: &registrosv1.Registro{
			Curp: curp, Nombre: "NOMBRE PRIVADO", TipoEvento: "Toma de muestra", FechaEvento: "2025-03-04",
		},
	}
}

// avisos lists the notices as an institution sees them.
func (s *sistema) avisos(t *testing.T, key, conocida string) (*integracionv1.ListAvisosResponse, error) {
	t.Helper()
	stream, err := integracionv1.NewAvisoServiceClient(s.conn).ListAvisos(withKey(t.Context(), key),
		&integracionv1.ListAvisosRequest{RevisionConocida: conocida})
	if err != nil {
		return nil, err
	}
	first, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	_, err = stream.Recv()
	if err == nil {
		t.Error("more than one message")
	}
	return first, nil
}

func wantMotivo(t *testing.T, what string, err error, want errores.Motivo) {
	t.Helper()
	if !errs.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

func tipos(avisos []*integracionv1.Aviso) string {
	all := make([]string, len(avisos))
	for i, aviso := range avisos {
		all[i] = aviso.GetTipo()
	}
	return strings.Join(all, " ")
}
