package app_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
)

// registros is the other service, as far as it opens and closes Casos.
type registros struct {
	registrosv1.UnimplementedBusquedaServiceServer
	opened chan *registrosv1.OpenCasoRequest
	closed chan *registrosv1.CloseCasoRequest
	// mute says that it takes calls and never answers.
	mute atomic.Bool
}

func (r *registros) OpenCaso(ctx context.Context, req *registrosv1.OpenCasoRequest) (*registrosv1.OpenCasoResponse, error) {
	if r.mute.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r.opened <- req
	return &registrosv1.OpenCasoResponse{}, nil
}

func (r *registros) CloseCaso(ctx context.Context, req *registrosv1.CloseCasoRequest) (*registrosv1.CloseCasoResponse, error) {
	if r.mute.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r.closed <- req
	return &registrosv1.CloseCasoResponse{}, nil
}

func serveRegistros(t *testing.T, address string) (*registros, string) {
	t.Helper()
	r := &registros{opened: make(chan *registrosv1.OpenCasoRequest, 100), closed: make(chan *registrosv1.CloseCasoRequest, 100)}
	return r, serve(t, address, func(server *grpc.Server) { registrosv1.RegisterBusquedaServiceServer(server, r) })
}

// serve is a stand-in for registros with what is registered; it gives its address.
func serve(t *testing.T, address string, register func(*grpc.Server)) string {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	register(server)
	healthv1.RegisterHealthServer(server, health.NewServer())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // it ends with Stop
	}()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return listener.Addr().String()
}

func next[T any](t *testing.T, told <-chan T) T {
	t.Helper()
	select {
	case value := <-told:
		return value
	case <-time.After(soon):
		t.Fatal("registros was not told")
		panic("unreachable")
	}
}

func TestSyncCaso(t *testing.T) {
	t.Parallel()
	r, address := serveRegistros(t, "127.0.0.1:0")
	s := start(t, integraciontest.Options{RegistrosTarget: address})
	s.activate(t, empresaA)
	opened := next(t, r.opened)
	if opened.GetEmpresaId() != string(empresaA) || opened.GetReporteId() != reporteID || opened.GetCiclo() != 1 ||
		opened.GetPersona().GetCurp() != curp || opened.GetPersona().GetLugarNacimiento() != "VERACRUZ" ||
		opened.GetPersona().GetDomicilio() != nil || opened.GetActivadoEn().AsTime().IsZero() {
		t.Errorf("opened %v", opened)
	}
	s.activate(t, empresaA)
	s.deactivate(t, empresaA)
	closed := next(t, r.closed)
	if closed.GetReporteId() != reporteID || closed.GetCiclo() != 1 || closed.GetCerradoEn().AsTime().Before(opened.GetActivadoEn().AsTime()) {
		t.Errorf("closed %v", closed)
	}
	if before := next(t, r.opened); before.GetCiclo() != 1 {
		t.Errorf("before it is closed it is opened, not %v", before)
	}
	s.activate(t, empresaA)
	again := next(t, r.opened)
	for again.GetCiclo() == 1 { // by the job of the deactivation
		again = next(t, r.opened)
	}
	if again.GetCiclo() != 2 {
		t.Errorf("opened %v after the first cycle", again)
	}
}

func TestSyncCaso_waitsForRegistros(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	s := start(t, integraciontest.Options{RegistrosTarget: address})
	s.activate(t, empresaA)
	s.activate(t, empresaB)
	s.deactivate(t, empresaB)
	r, _ := serveRegistros(t, address)
	// B may be opened first, by a job that read it before it ended; what counts is that
	// it is closed in the end.
	opened := next(t, r.opened)
	for opened.GetEmpresaId() != string(empresaA) {
		opened = next(t, r.opened)
	}
	if closed := next(t, r.closed); closed.GetEmpresaId() != string(empresaB) {
		t.Errorf("closed %v", closed)
	}
}
